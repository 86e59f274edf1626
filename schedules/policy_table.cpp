#include <vector>

#include "schedules/policy.hpp"

namespace gyre {

#define POLICY(name, summary) std::unique_ptr<Policy> make_##name();
#include "schedules/policies.def"
#undef POLICY

std::span<const PolicyEntry> policy_table() {
  static const std::vector<PolicyEntry> kTable = [] {
    std::vector<PolicyEntry> table{
#define POLICY(name, summary) PolicyEntry{#name, summary, &make_##name},
#include "schedules/policies.def"
#undef POLICY
    };
    for (PolicyEntry& entry : table) {
      for (char& c : entry.name) c = c == '_' ? '-' : c;
    }
    return table;
  }();
  return kTable;
}

}  // namespace gyre
