#include "models/model_mixer.hpp"

#include <algorithm>
#include <utility>

#include "models/error.hpp"

namespace gyre {

ModelMixer::ModelMixer(MixingRule rule, Task& task, std::size_t islands)
    : rule_(std::move(rule)), task_(&task), islands_(islands), slots_(islands) {
  check(!rule_.compression || task.has_values(), "only values can be compressed");
  const bool of_change = rule_.compression && rule_.compression->of == CompressionSpec::Of::kChange;
  const auto some = [this](bool wanted) -> std::optional<std::size_t> {
    if (!wanted) return {};
    return std::exchange(slots_, slots_ + islands_);
  };
  anchors_ = some(rule_.outer || of_change);
  momenta_ = some(rule_.outer.has_value());
  residuals_ = some(rule_.compression && rule_.compression->error_feedback);
  task_->reserve(slots_);
  for (std::size_t i = 0; anchors_ && i < islands_; ++i) {
    task_->combine(*anchors_ + i, std::vector<Term>{{i, 1.0}}, {});
  }
}

ModelMixer::Mix::~Mix() {
  for (const std::optional<std::size_t>& slot : sent_) {
    if (slot) mixer_->give_back(*slot);
  }
  for (const std::optional<std::size_t>& slot : starts_) {
    if (slot) mixer_->give_back(*slot);
  }
  for (const std::size_t slot : results_) mixer_->give_back(slot);
}

std::size_t ModelMixer::take_slot() {
  if (free_.empty()) {
    task_->reserve(slots_ + 1);
    return slots_++;
  }
  const std::size_t slot = free_.back();
  free_.pop_back();
  return slot;
}

void ModelMixer::give_back(std::size_t slot) { free_.push_back(slot); }

std::size_t ModelMixer::keep(IslandId island) {
  const std::size_t slot = take_slot();
  copy(island.index(), slot);
  return slot;
}

void ModelMixer::look_at(const std::vector<std::pair<IslandId, std::size_t>>& kept,
                         const std::function<void()>& see) {
  std::vector<std::size_t> now;
  for (const auto& [island, slot] : kept) {
    now.push_back(keep(island));
    copy(slot, island.index());
  }
  see();
  for (std::size_t k = 0; k < kept.size(); ++k) {
    copy(now[k], kept[k].first.index());
    give_back(now[k]);
  }
}

void ModelMixer::copy(std::size_t from, std::size_t to) {
  task_->combine(to, std::vector<Term>{{from, 1.0}}, {});
}

std::unique_ptr<ModelMixer::Mix> ModelMixer::begin(std::vector<IslandId> members,
                                                   Fragment fragment) {
  return std::make_unique<Mix>(*this, std::move(members), fragment);
}

void ModelMixer::contribute(Mix& mix, std::size_t rank) {
  const std::size_t island = mix.members_[rank].index();
  check(!mix.sent_[rank], "a member of an exchange has sent its model twice");
  const std::size_t slot = take_slot();
  mix.sent_[rank] = slot;
  if (rule_.outer && rule_.moves_meanwhile) {
    mix.starts_[rank] = take_slot();
    task_->combine(*mix.starts_[rank], std::vector<Term>{{*anchors_ + island, 1.0}}, mix.fragment_);
  }
  if (!rule_.compression) {
    task_->combine(slot, std::vector<Term>{{island, 1.0}}, mix.fragment_);
    return;
  }
  const bool of_change = rule_.compression->of == CompressionSpec::Of::kChange;
  std::vector<Term> wanted{{island, 1.0}};
  if (of_change) wanted.push_back({*anchors_ + island, -1.0});
  if (residuals_) wanted.push_back({*residuals_ + island, 1.0});
  task_->combine(slot, wanted, mix.fragment_);
  const Model value = task_->values(slot, mix.fragment_);
  const Model compressed = compress(*rule_.compression, value);
  if (residuals_) {
    Model withheld = value;
    for (std::size_t p = 0; p < withheld.size(); ++p) withheld[p] -= compressed[p];
    task_->assign(*residuals_ + island, withheld, mix.fragment_);
  }
  task_->assign(slot, compressed, mix.fragment_);
  if (of_change) {
    task_->combine(slot, std::vector<Term>{{*anchors_ + island, 1.0}, {slot, 1.0}}, mix.fragment_);
  }
}

void ModelMixer::withdraw(Mix& mix, std::size_t rank) {
  for (std::optional<std::size_t>* slot : {&mix.sent_[rank], &mix.starts_[rank]}) {
    if (*slot) give_back(**slot);
    slot->reset();
  }
  for (const std::size_t slot : std::exchange(mix.results_, {})) give_back(slot);
}

std::size_t ModelMixer::mean_of(const std::vector<std::size_t>& slots) {
  const std::size_t mean = take_slot();
  std::vector<Term> terms;
  terms.reserve(slots.size());
  for (const std::size_t slot : slots) {
    terms.push_back({slot, 1.0 / static_cast<double>(slots.size())});
  }
  task_->combine(mean, terms, {});
  return mean;
}

void ModelMixer::adopt(IslandId island, IslandId other) {
  copy(other.index(), island.index());
  for (const std::optional<std::size_t>& first : {anchors_, momenta_}) {
    if (first) copy(*first + other.index(), *first + island.index());
  }
  if (residuals_) task_->combine(*residuals_ + island.index(), std::vector<Term>{}, {});
}

void ModelMixer::average(Mix& mix) {
  std::vector<Term> terms;
  for (const std::optional<std::size_t>& slot : mix.sent_) {
    if (slot) terms.push_back({*slot, 0.0});
  }
  check(!terms.empty() && mix.results_.empty(), "an average is of what was sent, and only once");
  for (Term& term : terms) term.weight = 1.0 / static_cast<double>(terms.size());
  mix.results_ = {take_slot()};
  task_->combine(mix.results_.front(), terms, mix.fragment_);
}

std::vector<Model> ModelMixer::sent(const Mix& mix) const {
  std::vector<Model> models;
  for (const std::optional<std::size_t>& slot : mix.sent_) {
    if (slot) models.push_back(task_->values(*slot, mix.fragment_));
  }
  return models;
}

void ModelMixer::set_results(Mix& mix, const std::vector<Model>& results) {
  check(mix.results_.empty(), "an exchange has its results only once");
  std::size_t next = 0;
  const std::size_t count = results.size() == 1 ? 1 : mix.sent_.size();
  for (std::size_t rank = 0; rank < count; ++rank) {
    // Who has sent nothing may still fetch what another one has.
    const Model& result = count > 1 && mix.sent_[rank] ? results.at(next++) : results.front();
    mix.results_.push_back(take_slot());
    task_->assign(mix.results_.back(), result, mix.fragment_);
  }
}

void ModelMixer::apply(const Mix& mix, std::size_t rank) {
  check(!mix.results_.empty(), "a member takes in the result of an exchange that has none");
  merge(mix, rank, mix.results_.size() == 1 ? mix.results_.front() : mix.results_[rank]);
}

void ModelMixer::take_in(Mix& mix, std::size_t rank, const std::vector<Share>& shares) {
  const auto slot_of = [&mix](std::size_t of) {
    check(mix.sent_[of].has_value(), "a member takes in what was never sent");
    return *mix.sent_[of];
  };
  std::vector<Share> all{{rank, 1.0}};
  for (const Share& share : shares) {
    all.front().weight -= share.weight;
    all.push_back(share);
  }
  std::sort(all.begin(), all.end(), [](const Share& a, const Share& b) { return a.rank < b.rank; });
  std::vector<Term> terms;
  terms.reserve(all.size());
  for (const Share& share : all) terms.push_back({slot_of(share.rank), share.weight});
  const std::size_t target = take_slot();
  task_->combine(target, terms, mix.fragment_);
  merge(mix, rank, target);
  give_back(target);
}

void ModelMixer::merge(const Mix& mix, std::size_t rank, std::size_t target) {
  const std::size_t island = mix.members_[rank].index();
  if (rule_.outer) {
    const double rate = rule_.outer->learning_rate;
    const std::size_t anchor = *anchors_ + island;
    const std::size_t momentum = *momenta_ + island;
    const double decay = rule_.outer->momentum;
    const std::size_t start = mix.starts_[rank].value_or(anchor);
    task_->combine(momentum, std::vector<Term>{{momentum, decay}, {start, 1.0}, {target, -1.0}},
                   mix.fragment_);
    std::vector<Term> moved{{anchor, 1.0 - rate}, {target, rate}, {momentum, -rate * decay}};
    if (start != anchor) {
      moved = {{anchor, 1.0}, {start, -rate}, {target, rate}, {momentum, -rate * decay}};
    }
    task_->combine(anchor, moved, mix.fragment_);
    target = anchor;
  } else if (anchors_) {
    task_->combine(*anchors_ + island, std::vector<Term>{{target, 1.0}}, mix.fragment_);
  }
  std::vector<Term> merged{{target, 1.0 - rule_.local_weight}};
  if (rule_.local_weight > 0.0) merged.push_back({island, rule_.local_weight});
  task_->combine(island, merged, mix.fragment_);
}

}  // namespace gyre
