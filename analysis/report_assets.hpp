#pragma once

#include <string_view>

namespace gyre {

/// The parts of the report's page, as they were when gyre was built (`analysis/report/`, and D3
/// from its Debian package).
std::string_view report_page();
std::string_view report_style();
std::string_view report_script();
std::string_view report_d3();

}  // namespace gyre
