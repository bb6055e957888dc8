// How often and in which order loops reach coordinates.
#pragma once

#include "concrete/concrete.h"

namespace filigree::concrete {

/// Does the loop reach each coordinate at most once?
bool visits_once(const Forall& forall);
/// And in increasing order?
bool visits_in_order(const Forall& forall);
/// Does the producer of a temporary write each component at most once?
bool writes_once(const Stmt& producer);

}  // namespace filigree::concrete
