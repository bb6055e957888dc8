// The texts of `filigree --help TOPIC` that people wrote; those about options are made from their table.
#include <fmt/format.h>

#include "algebra/element_type.h"
#include "help.h"
#include "support/text.h"
#include "terminal.h"

namespace filigree::tool {
namespace {

const char* notation_text =
    R"(A statement gives every component of the tensor on the left the value on the right:

  y(i) = A(i,j) * x(j)            j is on the right only, so it is summed
  A(i,j) = B(i,k) * C(k,j)        a product of matrices
  A(i,j) = B(i,j) + C(j,i)        with a transpose
  s = A(i,j) * B(i,j)             a number
  n = sqrt(sum(i, r(i)^2))        below functions, powers, comparisons and denominators sums are written out
  A(i,j) = b(i)                   j is on the left only: b is repeated along it
  A(i,j) min= B(i,k) + C(k,j)     reduced by min: shortest paths of two steps
  T(i,j) = B(i,k) * C(k,j); y(i) = T(i,j) * x(j)      several statements, in order

assignments    =  +=  -=  *=  /=  min=  max=  and=  or=  xor=
operators      +  -  *  /  // (rounds down)  %  ^ or **  ==  !=  <  <=  >  >=  and  or  xor  not
functions      min max abs sqrt exp log sin cos tanh sign relu floor ceil conj real imag select(c, a, b)
reductions     sum(j, ...) prod min_over max_over any all count, reduce(op, j, ...)
indices        i   3   i+1   2*i+j   i(2,8) and i(0,10,2) parts   i({0,3,5}) a list   A(i,i) diagonals
               pad(A(i+1)) is the fill outside of A; an index variable is also a value, as in i*b(i)
               x(p(i)) is read at coordinates that p holds; h(c(i)) += w(i) adds up what c sends to one place
               wrap(x(i+1)) begins again behind the end; x(i+1 mod 8) does so at 8
stored         y(i) = prune(...) leaves out what equals the fill
numbers        2  .5  1e-3  2i  inf  nan  true  false

In expressions coordinates count from 0; in text files they count from 1.
--print notation shows what a statement means, with all sums written out.
More: docs/notation.md, docs/indices.md, docs/programs.md.
)";

const char* formats_text =
    R"(A format says how a tensor is stored: -f A:csr.

  any tensor     dense, sparse (csf), coo, coo_aos, dok, hash, bitmap; in blocks bcsr(4,2), csb(4,2),
                 mode_generic(4,2)
  matrices       csr, csc, dcsr, dcsc, dia, ell; packed triangles lower, upper; one half of symmetric, skew,
                 hermitian, also as symmetric(dcsr)
  properties     csr(unordered), csr(decreasing), coo(nonunique), coo(unordered,nonunique)
  letters        one per level, as in TACO: d dense, s compressed, h hashed, b bitmap; ds, ds:1,0, sss:2,0,1
  maps           '(i,j) -> (i: dense, j: compressed)'; a level stores i, a part i/4 or i%4, a diagonal j-i, or a
                 count #i
  layouts        'layout FILE', a relation between what is stored and coordinates: docs/layouts.md

Without -f, vectors and array files are dense, coordinate files are compressed in every level, and results are
dense where the expression reaches every coordinate.

  filigree info A.mtx -f 'bcsr(4,4)'        shows what a file takes in a format
  filigree compare ... -f A:csr -f A:coo    times formats against each other

A format that does not suit the entries is refused with the size it would take; --force insists.
More: docs/formats.md.
)";

const char* schedules_text =
    R"(A schedule says how a statement runs, never what it computes: -s 'split(i, i0, i1, 32), parallelize(i0, cpu)'.

  reorder(i, j, ...)            these loops in this order
  split(i, i0, i1, size)        a loop over pieces, and one inside of each
  divide(i, i0, i1, number)     the same, for a number of pieces
  collapse(i, j, f)             two loops as one
  pos(i, p, A), coord(p, i)     from coordinates to positions of A, and back
  cut(i, t, rows)               a piece of equal work for each thread; also nonzeros, merge
  precompute(e, j, jw, w)       a part of the statement on its own, into a workspace
  reformat(A, csr)              an operand copied into another format first
  assemble(A, insert)           the result counted first and then put in place; also append
  parallelize(i, cpu, races)    iterations on several threads; races: none, atomics, ...
  vectorize(i)                  iterations as elements of vectors
  unroll(i, factor)             iterations without tests between them
  bound(i, exact, n)            what is known about the number of coordinates; also min, max, divisible
  protocol(A, i, strategy)      how the loop over i reaches A: step, locate, gallop, binary, hash, ...
  mergeby(i, gallop)            how the loop over i goes through all that meets there; also two_finger

Without -s loops and a schedule are chosen for the operands: --print schedule shows it, -s serial turns it off, and
-s auto asks for it; -s default keeps the loops that the statement alone tells.  More: docs/scheduling.md.

What no command says can be said in the plan: --print plan shows it, and --plan FILE runs it once its text is changed.
More: docs/loops.md.
)";

const char* files_text =
    R"(  .mtx .ttx                       Matrix Market, matrices and tensors
  .tns                            FROSTT: coordinates and a value on each line
  .el .edges .txt .csv .tsv       edge lists: u v or u v w, from 0 on
  .npy .npz                       NumPy's arrays, SciPy's sparse matrices
  -                               standard input or output; -.csv says in which format

Text files may be gzipped: .mtx.gz and so on.  Coordinates count from 1 in .mtx, .ttx and .tns files and from 0 in edge
lists; --base 0 or --base A:1 says otherwise.  Entries that occur twice are summed.  Symmetric files are read with both halves.
A file is written under another name and renamed when it is complete, so that no half of it is left behind.

  filigree info A.mtx               what is in a file
  filigree convert A.mtx A.tns      from one file format to another

More: docs/files.md.
)";

const char* examples_text =
    R"(A matrix from a file times a vector of ones; the result is shown:
  filigree 'y(i) = A(i,j) * x(j)' -f A:csr -i A:A.mtx -i x:ones

The same into a file, timed over 20 runs:
  filigree 'y(i) = A(i,j) * x(j)' -f A:csr -i A:A.mtx -i x:ones -o y:y.tns --time 20

Nothing to read: the sum of the first squares, and a table of sums:
  filigree 's = sum(i, i*i)' -d i:10
  filigree 'A(i,j) = i + j' -d i:3 -d j:4

The product of two sparse matrices, and of all its stages the C:
  filigree 'A(i,j) = B(i,k) * C(k,j)' -f B:csr -f C:csr --print c

Why it runs as it does:
  filigree 'A(i,j) = B(i,j) + C(j,i)' -f B:csr -f C:csr -i B:B.mtx -i C:C.mtx --explain

Which format is fastest here:
  filigree compare 'y(i) = A(i,j) * x(j)' -i A:A.mtx -i x:ones -f A:csr -f A:coo -f A:ell

Random data, with subscripts as in NumPy:
  filigree einsum 'ik,kj->ij' B C -i 'B:random(0.01,1)' -i C:ones -d B:1000,1000 -d C:1000,8
)";

const char* environment_text =
    R"(  FILIGREE_CACHE        the folder for compiled kernels; otherwise $XDG_CACHE_HOME/filigree, otherwise
                        $HOME/.cache/filigree
  FILIGREE_CACHE_SIZE   how many megabytes it may take, 256 unless set; 0 turns the folder off
  FILIGREE_CHOICES      0: choices of earlier runs are not read, and none are kept
  FILIGREE_TUNED        0: ways that 'filigree tune' found are not taken
  FILIGREE_PLUGIN       the file with the in-process compiler, if it is not where it was installed
  CC                    the C compiler of --target cc; otherwise 'cc' in PATH
  TMPDIR                where that compiler's files are; otherwise /tmp
  NO_COLOR              if it is set and not empty: no colours, unless --color always says otherwise
  TERM                  'dumb': no colours, and no line about what takes long
  LC_ALL, LC_CTYPE, LANG  bars of 'compare' are drawn with blocks if the first one that is set says UTF-8

The folder may be removed at any time; kernels are compiled again.
)";

const char* exit_codes_text =
    R"(  0     success
  1     an error in the expression, the data or the files
  2     wrong usage: an option that there is not, or a value that cannot be meant
  70    a bug in Filigree
  130   interrupted, as by Ctrl-C; 129, 143 and so on likewise: 128 and the number of the signal
  141   nobody reads what is written any more, as behind '| head'; other results are written, and nothing is said

No unfinished file is left behind, whatever the end.  Where a process has no time for that, as when it is killed (kill
-9), the next run that writes to the same folder removes it.
)";

std::string types_text() {
  std::vector<std::string> names;
  for (ElementType type : all_element_types()) names.push_back(to_string(type));
  return "Element types: " + join(names, ", ") +
         ".\n\n  filigree 'y(i) = A(i,j) * x(j)' -t A:float32 -t x:float32 ...\n\n"
         "Without -t the file decides, else float64.  Operands of several types are promoted as in NumPy, and the type "
         "of a\n"
         "result follows from its expression.  C's names work, too: float, double, int, long, int32_t.\n"
         "Numbers given with -i are float64, with an imaginary part as in 1+2i complex128; true and false are bool.\n";
}

}  // namespace

const std::vector<Topic>& written_topics() {
  static const std::vector<Topic> topics = {
      {"notation", "how statements are written", notation_text},
      {"formats", "how tensors are stored", formats_text},
      {"schedules", "how statements run", schedules_text},
      {"files", "what is read and written", std::string("Files are told by the end of their names:\n\n") + files_text},
      {"types", "element types", types_text()},
      {"examples", "commands to start from", examples_text},
      {"environment", "environment variables, and the cache of kernels", environment_text},
      {"exit-codes", "what the exit code says", exit_codes_text},
  };
  return topics;
}

}  // namespace filigree::tool
