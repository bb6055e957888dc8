// A golden case: an expression with formats and data, then what stages are expected to make of it.
//
//   # Rows of A are walked, x is located.
//   expression: y(i) = A(i,j)*x(j)
//   format A: csr                    dense unless given; a name, letters or a map
//   type A: float32                  float64 unless given
//   fill A: 1                        0 unless given
//   dimension j: 4                   else the largest coordinate of the inputs; `dimension A: 3,4` is for A alone
//   stored: T                        temporaries that are not inlined; by default all may be
//   schedule: protocol(A, j, hash)   none unless given
//   loops: forall(i, ...)            in place of an expression: as --concrete takes them
//   mode: values                     of [ir] and [c]: grow unless given
//   input A:                         entries follow, indented, as in .tns files
//     1 1 2.5
//   input x: ones                    or zeros, or the value of a scalar, or all components of a vector
//
//   [concrete]
//   forall(i, forall(j, y(i) += A(i,j)*x(j)))
//
// Sections: notation concrete schedule assemble lattice ir explain as the command line prints them; c, the function
// that does the work; loops, only its loops; result, the stored entries, after the fill if that is not 0; error, the
// whole message.  Of several statements, stages have a heading for each kernel if there are several, and results one
// for each output.  A case has sections for the stages it is about.  Results of cases with inputs are also compared
// with the oracle's, whether there is a [result] or not.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace filigree::cases {

struct Section {
  std::string name;
  std::string text;  // ends in a newline unless empty
};

struct Case {
  std::string path;
  std::vector<std::string> header;  // every line up to the first section
  std::string expression, loops;
  std::map<std::string, std::string> formats, types, fills;  // by tensor
  std::map<std::string, std::string> dimensions;             // by index variable or tensor
  std::map<std::string, std::string> inputs;                 // by tensor: the text after the colon, or the entries
  std::string schedule;
  std::vector<std::string> stored;
  std::string mode = "grow";
  std::vector<Section> sections;

  const Section* find(const std::string& section) const;
};

/// Throws std::runtime_error with file and line for a file that is no case.
Case read_case(const std::string& path);
/// The file's text, with the sections as they are in `c`.
std::string to_string(const Case& c);

std::string read_text(const std::string& path);
void write_text(const std::string& path, const std::string& text);

/// The two texts line by line, lines of `expected` alone marked '-', of `actual` alone '+'.
std::string difference(const std::string& expected, const std::string& actual);

}  // namespace filigree::cases
