#include "libraries.h"

namespace suite {

void enter_libraries(Race& race, const Task& task) {
  if (race.alone) return;
#ifdef SUITE_HAS_EIGEN
  enter_eigen(race, task);
#endif
#ifdef SUITE_HAS_GRAPHBLAS
  enter_graphblas(race, task);
#endif
  enter_mkl(race, task);
  enter_scipy(race, task);
}

}  // namespace suite
