# Writes ${OUT}: the files of the report's page as C++ functions. A string literal may hold 64 kB at
# most by the standard, so each file is an array of bytes.
function(add_bytes name file)
  file(READ "${file}" bytes HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  string(APPEND text "constexpr unsigned char k_${name}[] = {${bytes}};\n")
  string(APPEND functions "std::string_view ${name}() {\n"
         "  return {reinterpret_cast<const char*>(k_${name}), sizeof(k_${name})};\n}\n")
  set(text "${text}" PARENT_SCOPE)
  set(functions "${functions}" PARENT_SCOPE)
endfunction()

set(text "")
set(functions "")
add_bytes(report_page "${FOLDER}/page.html")
add_bytes(report_style "${FOLDER}/style.css")
add_bytes(report_script "${FOLDER}/report.js")
add_bytes(report_d3 "${D3}")
file(WRITE "${OUT}" "#include \"analysis/report_assets.hpp\"\n\nnamespace gyre {\nnamespace {\n\n${text}\n"
     "}  // namespace\n\n${functions}\n}  // namespace gyre\n")
