#include "schedule/schedule.h"

#include <gtest/gtest.h>

#include "tests/concrete/from_text.h"

namespace filigree::schedule {
namespace {

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const UserError& error) {
    return error.text();
  }
  return "no error";
}

std::string parse_error(const std::string& text) {
  return error_of([&] { parse(text, "-s"); });
}

std::string apply_error(const std::string& text) {
  concrete::Program program = concrete::concretized("y(i) = A(i,j)*x(j)", {{"A", "csr"}, {"x", "s"}});
  return error_of([&] { apply_schedule(parse(text, "-s"), program); });
}

TEST(ParseSchedule, ReadsBackWhatIsPrinted) {
  for (const char* text :
       {"protocol(A, j, gallop)", "protocol(A, j, step), protocol(x, j, hash)", "protocol(a_1, i, seqiter)"}) {
    EXPECT_EQ(to_string(parse(text)), text);
  }
  EXPECT_EQ(to_string(parse(" protocol ( A,j ,binary ) ,protocol(B,j,scan)")),
            "protocol(A, j, binary), protocol(B, j, scan)");
  EXPECT_EQ(to_string(parse("protocol(A, j, merge)")), "protocol(A, j, step)");
}

TEST(ParseSchedule, GivesWhatCommandsInCodeGive) {
  IndexVar j("j");
  TensorVar A("A", ElementType::Float64, Format::dense(2));
  EXPECT_EQ(parse("protocol(A, j, locate)"), Schedule{(Protocol{A, j, concrete::Protocol::Locate})});
}

TEST(ParseSchedule, PointsAtWhatIsWrong) {
  EXPECT_EQ(parse_error("protocl(A, j, gallop)"),
            "error: Unknown command 'protocl'\n  in -s, column 1:\n    protocl(A, j, gallop)\n    ^^^^^^^\nhint: did "
            "you mean protocol(tensor, variable, strategy)?\n"
            "hint: commands are: reorder, split, divide, collapse, pos, coord, cut, parallelize, vectorize, unroll, "
            "bound, protocol, mergeby, precompute, reformat, assemble; serial, auto and default stand alone\n");
  EXPECT_EQ(parse_error("protocol(A, j, galop)"),
            "error: Unknown strategy 'galop'\n  in -s, column 16:\n    protocol(A, j, galop)\n                   "
            "^^^^^\nhint: did you mean 'gallop'?\n"
            "hint: there are: step, locate, seqiter, gallop, binary, hash, scan\n");
  EXPECT_EQ(parse_error("protocol(A, j)"),
            "error: 'protocol' is missing an argument: a strategy\n  in -s, column 14:\n    protocol(A, j)\n           "
            "      ^\nhint: write protocol(tensor, variable, strategy)\n");
  EXPECT_EQ(parse_error("protocol(A, j, hash) protocol(x, j, step)"),
            "error: Expected ',', found 'protocol'\n  in -s, column 22:\n    protocol(A, j, hash) protocol(x, j, "
            "step)\n                         ^^^^^^^^\n"
            "hint: commands stand one after the other, with commas between them\n");
  EXPECT_EQ(parse_error("protocol(A, 2, hash)"),
            "error: Expected a variable, found '2'\n  in -s, column 13:\n    protocol(A, 2, hash)\n                "
            "^\nhint: write protocol(tensor, variable, strategy)\n");
  EXPECT_EQ(parse_error(""),
            "error: Expected a command, found the end\n  in -s, column 1:\n    \n    ^\nhint: commands are: reorder, "
            "split, divide, collapse, pos, coord, cut, parallelize, vectorize, unroll, bound, protocol, mergeby, "
            "precompute, reformat, assemble; serial, auto and default stand alone\n");
}

TEST(ParseSchedule, ReadsBackEveryCommand) {
  for (const char* text : {"reorder(i, j)",
                           "reorder(i, j, k)",
                           "split(i, i0, i1, 32)",
                           "split(i, i0, i1, up, 8)",
                           "split(i, i0, i1, 32, A)",
                           "split(i, i0, i1, up, 8, A)",
                           "collapse(i, j, f)",
                           "pos(f, p, A)",
                           "coord(p, f)",
                           "parallelize(i, cpu, none)",
                           "parallelize(i, cpu, ignore)",
                           "parallelize(i, cpu, atomics)",
                           "parallelize(i, cpu, temporary)",
                           "parallelize(i, cpu, reduction)",
                           "parallelize(j, vector, none)",
                           "vectorize(j)",
                           "unroll(j, 4)",
                           "bound(i, exact, 17)",
                           "bound(i, min, 1)",
                           "bound(i, max, 100)",
                           "bound(i, divisible, 8)",
                           "bound(i, i1, 17, exact)",
                           "precompute(B(i,k)*C(k,j), j, jw, w)",
                           "precompute(B(i,k), {i, k}, {i, k}, w, table)",
                           "precompute(b(i), {}, {}, w, float32)",
                           "precompute(b(i), i, v, w, (i) -> (i: hashed), float64)",
                           "reformat(A, csr)",
                           "reformat(A, {ds:1,0})",
                           "reformat(A, {bcsr(2,2)})",
                           "parallelize(i, gpu_block, none)",
                           "parallelize(i, gpu_warp, ignore)",
                           "parallelize(i, gpu_thread, atomics)",
                           "parallelize(i, serial, none)",
                           "precompute(A(i,j)*x(j), j, jw)",
                           "precompute(A(i,j)*x(j), {i, j}, {iw, jw})",
                           "precompute(A(i,j)*x(j), j, jw, _, table, float64)",
                           "mergeby(j, gallop)",
                           "mergeby(j, two_finger)",
                           "assemble(A, insert)",
                           "assemble(A, append)"}) {
    Schedule schedule = parse(text);
    EXPECT_EQ(to_string(schedule), text);
    EXPECT_EQ(parse(to_string(schedule)), schedule);
  }
}

TEST(ParseSchedule, TakesTacosSpellings) {
  EXPECT_EQ(to_string(parse("fuse(i, j, f), pos(f, p, A(i,j)), parallelize(p, CPUThread, ParallelReduction)")),
            "collapse(i, j, f), pos(f, p, A), parallelize(p, cpu, reduction)");
  EXPECT_EQ(to_string(parse("parallelize(i, CPUThread, NoRaces), parallelize(j, CPUVector, IgnoreRaces)")),
            "parallelize(i, cpu, none), parallelize(j, vector, ignore)");
  EXPECT_EQ(to_string(parse("bound(i, i1, 17, MaxExact), bound(j, j1, 5, MaxConstraint)")),
            "bound(i, i1, 17, exact), bound(j, j1, 5, max)");
}

TEST(ParseSchedule, TakesTacosSpellingsInAnyCase) {
  EXPECT_EQ(to_string(parse("divide(i, i0, i1, 4), split(j, j0, j1, Down, 8), split(k, k0, k1, Up, 2)")),
            "split(i, i0, i1, up, 4), split(j, j0, j1, 8), split(k, k0, k1, up, 2)");
  EXPECT_EQ(
      to_string(parse(
          "bound(i, MaxExact, 4), bound(j, j1, 5, MinExact), bound(k, 6, MinConstraint), bound(l, max_constraint, 7)")),
      "bound(i, exact, 4), bound(j, j1, 5, min), bound(k, min, 6), bound(l, max, 7)");
  EXPECT_EQ(
      to_string(parse("parallelize(i, DefaultUnit, NoRaces), parallelize(j, NotParallel, IgnoreRaces), parallelize(k, "
                      "cputhread, Temporary), parallelize(l, cpu_vector, ATOMICS), parallelize(m, gpublock, atomic)")),
      "parallelize(i, cpu, none), parallelize(j, serial, ignore), parallelize(k, cpu, temporary), parallelize(l, "
      "vector, atomics), parallelize(m, gpu_block, atomics)");
  EXPECT_EQ(to_string(parse("parallelize(i, ParallelUnit::CPUThread, OutputRaceStrategy::NoRaces), bound(j, j1, 4, "
                            "BoundType::MaxExact)")),
            "parallelize(i, cpu, none), bound(j, j1, 4, exact)");
  EXPECT_EQ(to_string(parse("mergeby(j, Gallop), mergeby(k, TwoFinger), mergeby(l, twofinger)")),
            "mergeby(j, gallop), mergeby(k, two_finger), mergeby(l, two_finger)");
  EXPECT_EQ(to_string(parse("assemble(A, Insert), assemble(A(i,j), Append, false)")),
            "assemble(A, insert), assemble(A, append)");
  EXPECT_EQ(
      to_string(parse("precompute(A(i,j)*x(j), j, j), precompute(A(i,j), {i,j}, {iw,jw}), precompute(x(j), j, j, w)")),
      "precompute(A(i,j)*x(j), j, j), precompute(A(i,j), {i, j}, {iw, jw}), precompute(x(j), j, j, w)");
}

TEST(ParseSchedule, TakesTacosUnitsOfGpus) {
  EXPECT_EQ(to_string(parse("reorder({block, warp, thread}), parallelize(block, GPUBlock, IgnoreRaces), "
                            "parallelize(warp, GPUWarp, IgnoreRaces), parallelize(thread, GPUThread, Atomics)")),
            "reorder(block, warp, thread), parallelize(block, gpu_block, ignore), parallelize(warp, gpu_warp, ignore), "
            "parallelize(thread, gpu_thread, atomics)");
}

/// The loops with everything that the schedule asks for.
std::string scheduled(const std::string& statement, const concrete::Formats& formats, const std::string& text) {
  Schedule commands = parse(text);
  Steered steered = steer(commands, concrete::statement(statement, formats));
  return to_string(
      apply_schedule(commands, concrete::concretize(steered.statement, false, steered.requests)).statement);
}

TEST(Precompute, SumsInTheWorkspaceWhatNothingElseUses) {
  EXPECT_EQ(scheduled("A(i,j) = B(i,k,l)*C(k,j)*D(l,j)", {{"B", "csf"}}, "precompute(D(l,j)*B(i,k,l), j, jw, w)"),
            "forall(i, forall(k, where(forall(j, A(i,j) += w(j)*C(k,j)), forall(l, forall(jw, w(jw) += "
            "B(i,k,l)*D(l,jw))))))");
}

TEST(Precompute, LeavesSumsOutsideThatTheWorkspaceIsOver) {
  EXPECT_EQ(scheduled("y(i) = A(i,j)*x(j)", {{"A", "csr"}}, "precompute(A(i,j)*x(j), j, jw, w)"),
            "forall(i, where(forall(j, y(i) += w(j)), forall(jw, w(jw) = A(i,jw)*x(jw))))");
}

TEST(Precompute, FillsOneWorkspaceFromAnother) {
  EXPECT_EQ(scheduled("A(i,j) = B(i,k,l)*C(k,j)*D(l,j)", {{"B", "csf"}},
                      "precompute(B(i,k,l)*D(l,j), j, ju, u), precompute(u(j)*C(k,j), j, jv, v)"),
            "forall(i, where(forall(j, A(i,j) = v(j)), forall(k, where(forall(jv, v(jv) += u(jv)*C(k,jv)), forall(l, "
            "forall(ju, u(ju) += B(i,k,l)*D(l,ju)))))))");
}

TEST(Precompute, IsOverAnyNumberOfVariables) {
  EXPECT_EQ(scheduled("y(i) = A(i,j)*x(j)", {{"A", "csr"}}, "precompute(A(i,j)*x(j), {i, j}, {v, j}, w)"),
            "where(forall(i, forall(j, y(i) += w(i,j))), forall(v, forall(j, w(v,j) = A(v,j)*x(j))))");
  EXPECT_EQ(scheduled("y(i) = A(i,j)*x(j)", {{"A", "csr"}}, "precompute(A(i,j)*x(j), {}, {}, t)"),
            "forall(i, where(y(i) = t, forall(j, t += A(i,j)*x(j))))");
}

TEST(Precompute, GivesWorkspacesNamesThatAreFree) {
  notation::Statement statement = concrete::statement("w(i) = A(i,j)*x(j)", {{"A", "csr"}});
  EXPECT_EQ(
      to_string(with_names(parse("precompute(A(i,j)*x(j), j, w3), precompute(x(j), j, j), precompute(A(i,j), j, j, v)"),
                           statement)),
      "precompute(A(i,j)*x(j), j, w3, w2), precompute(x(j), j, j, w4), precompute(A(i,j), j, j, v)");
  EXPECT_EQ(scheduled("y(i) = A(i,j)*x(j)", {{"A", "csr"}}, "precompute(A(i,j)*x(j), j, j)"),
            "forall(i, where(forall(j, y(i) += w(j)), forall(j, w(j) = A(i,j)*x(j))))");
}

TEST(Reorder, IsTakenFromTheStartWhereItSavesACopy) {
  EXPECT_EQ(scheduled("A(i,j) = B(i,k)*C(k,j)", {{"B", "csr"}, {"C", "csc"}}, "reorder(i, j, k)"),
            "forall(i, forall(j, forall(k, A(i,j) += B(i,k)*C(k,j))))");
}

TEST(Reorder, IsKeptByTheLoopsOfAWorkspace) {
  EXPECT_EQ(scheduled("A(i,j) = B(i,k)*C(k,j)", {{"B", "csr"}, {"C", "csr"}},
                      "reorder(i, k, j), precompute(B(i,k)*C(k,j), j, j, w)"),
            "forall(i, where(forall(j, A(i,j) = w(j)), forall(k, forall(j, w(j) += B(i,k)*C(k,j)))))");
}

TEST(ParseSchedule, IsTheSameAsStructs) {
  EXPECT_EQ(parse("split(i, i0, i1, up, 8, A), unroll(i1, 4), vectorize(j), bound(i, divisible, 8)"),
            (Schedule{Split{"i", "i0", "i1", 8, Split::Direction::Up, Name("A")}, Unroll{"i1", 4}, Vectorize{"j"},
                      Bound{"i", Bound::Kind::Divisible, 8}}));
}

TEST(ApplyProtocol, AddsARequest) {
  concrete::Program program = concrete::concretized("y(i) = A(i,j)*x(j)", {{"A", "csr"}, {"x", "s"}});
  concrete::Program asked = apply_schedule(parse("protocol(x, j, hash)"), program);
  ASSERT_EQ(asked.environment.protocols.size(), 1u);
  EXPECT_EQ(asked.environment.protocols[0].tensor, "x");
  EXPECT_EQ(asked.environment.protocols[0].protocol, concrete::Protocol::Hash);
  EXPECT_TRUE(asked.statement.same_as(program.statement));
}

TEST(ApplyProtocol, IsAboutTheCopyWhereThereIsOne) {
  concrete::Program program =
      concrete::concretized("A(i,j) = B(i,j)*C(j,i)", {{"A", "csr"}, {"B", "csr"}, {"C", "csr"}});
  concrete::Program asked = apply_schedule(parse("protocol(C, j, locate)"), program);
  ASSERT_EQ(asked.environment.protocols.size(), 1u);
  EXPECT_EQ(asked.environment.protocols[0].tensor, "C_t");
}

TEST(ApplyMergeBy, AsksForAllThatIsWalked) {
  concrete::Program program = concrete::concretized("y(i) = A(i,j)*B(i,j)*x(j)", {{"A", "csr"}, {"B", "csr"}});
  for (const auto& [text, protocol] : {std::pair("mergeby(j, gallop)", concrete::Protocol::Gallop),
                                       std::pair("mergeby(j, two_finger)", concrete::Protocol::Step)}) {
    concrete::Program asked = apply_schedule(parse(text), program);
    ASSERT_EQ(asked.environment.protocols.size(), 2u);
    for (size_t n = 0; n < 2; n++) {
      EXPECT_EQ(asked.environment.protocols[n].tensor, n == 0 ? "A" : "B");
      EXPECT_EQ(asked.environment.protocols[n].variable, "j");
      EXPECT_EQ(asked.environment.protocols[n].protocol, protocol);
    }
  }
}

TEST(About, KnowsWhatIsAssigned) {
  notation::Statement statement = concrete::statement("A(i,j) = B(i,j)", {{"A", "csr"}, {"B", "csr"}});
  EXPECT_EQ(about(parse("assemble(A, insert), assemble(B, insert)"), statement), (std::vector<bool>{true, false}));
}

TEST(ApplyProtocol, NamesMustFitTheStatement) {
  const std::string loops = "note: the loops are\n  forall i\n    forall j\n      y(i) += A(i,j)*x(j)\n";
  EXPECT_EQ(apply_error("protocol(AA, j, hash)"),
            "error: The statement does not read a tensor 'AA'\n  in -s, column 10:\n    protocol(AA, j, hash)\n        "
            "     ^^\n" +
                loops + "hint: did you mean 'A'?\nhint: there are: A, x\n");
  EXPECT_EQ(apply_error("protocol(y, i, hash)"),
            "error: The statement does not read a tensor 'y'\n  in -s, column 10:\n    protocol(y, i, hash)\n          "
            "   ^\n" +
                loops + "hint: there are: A, x\n");
  EXPECT_EQ(apply_error("protocol(x, i, hash)"),
            "error: 'x' is not indexed by 'i'\n  in -s, column 13:\n    protocol(x, i, hash)\n                ^\n" +
                loops + "hint: there are: j\n");
  EXPECT_EQ(apply_error("protocol(x, j, hash), protocol(x, j, scan)"),
            "error: A protocol for 'x' in the loop over 'j' is given twice\n  in -s, column 23:\n    protocol(x, j, "
            "hash), protocol(x, j, scan)\n"
            "                          ^^^^^^^^^^^^^^^^^^^^\n" +
                loops + "hint: leave one of them out\n");
}

}  // namespace
}  // namespace filigree::schedule
