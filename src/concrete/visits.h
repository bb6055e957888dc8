// How often and in which order loops reach coordinates.
#pragma once

#include "concrete/concrete.h"

namespace filigree::concrete {

/// Does the loop reach each coordinate at most once?
bool visits_once(const Forall& forall);
/// Do iterations of the loop write different components, by an assignment inside?
bool writes_apart(const Forall& forall, const Assign& assign, const Environment& environment);
/// Is there a level that has one place for several coordinates, of which one at a time can be there?
bool has_shared_places(const Format& format);
/// Does the body run wherever the loop is reached: has every operand that may lead it a coordinate there?
bool always_visits(const Forall& forall);
/// And in increasing order?
bool visits_in_order(const Forall& forall);
/// Does the producer of a temporary write each component at most once?
bool writes_once(const Stmt& producer, const Environment& environment);
/// Do loops in place of several, which visit every point, write the temporary?
bool writes_all_points(const Stmt& producer, const TensorVar& temporary, const Environment& environment);

/// Does the nest, which writes a matrix with each component once, reach those with the same coordinate of `within` in
/// the order of the other?
bool writes_in_order_within(const Stmt& nest, const IndexVar& within, const Environment& environment);

/// Can tensors of this format be filled by counting and placing?  All levels but the last have a position for every
/// coordinate.
bool can_take_two_passes(const Format& format);
/// How `stmt`, which writes nothing else, fills `tensor` in two passes; nothing if it cannot be done.
std::optional<TwoPasses> in_two_passes(const Stmt& stmt, const TensorVar& tensor, const Environment& environment);

}  // namespace filigree::concrete
