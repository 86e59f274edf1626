#include "models/tasks/softmax.hpp"

namespace gyre {

std::unique_ptr<Task> make_softmax() { return std::make_unique<Softmax>(); }

}  // namespace gyre
