// Unusual, borderline and malformed files of other programs' test suites.  They are not part of the repository;
// where they are present, each must do exactly what the table says.  docs/files.md gives the reasons.
#include <gtest/gtest.h>

#include <map>
#include <regex>

#include <fmt/format.h>

#include "tests/io/text_files.h"

namespace filigree {
namespace {

const std::filesystem::path data = std::filesystem::path(FILIGREE_SOURCE_DIR) / "../shared/data";

/// "3x4 12 float64 dense", or "error:LINE: message".
const std::map<std::string, std::string> expectations = {
    {"cholmodT_fullcrud.mtx", "error:6: Expected 4 values, but the file ends after 3"},
    {"cholmodT_fullcrud2.mtx", "error:3: Expected a number, found 'garbled'"},
    {"cholmodT_fullcsa.mtx", "2x2 4 complex128 dense"},
    {"cholmodT_fullrsa.mtx", "2x2 4 float64 dense"},
    {"cholmod_mangle3.mtx", "error:1: Unknown field 'junk' in the Matrix Market banner"},
    {"cholmod_mangle4.mtx", "error:1: Unknown symmetry 'junk' in the Matrix Market banner"},
    {"comet_tc.mtx", "7x7 24 float64"},
    {"comet_test_rank3.tns", "7x7x7 4 float64"},
    {"comet_test_rank8.tns", "error:2: Expected 8 numbers (7 coordinates and a value), found 9"},
    {"cran_wrong.mtx", "error:3: The coordinate of dimension 1 is 0, but coordinates count from 1"},
    {"finch_Trec4.ttx", "2x3 3 int64"},
    {"fmm_eye3_complex.mtx", "3x3 3 complex128"},
    {"fmm_eye3_str.mtx", "3x3 3 float64"},
    {"fmm_graph_matrix_bool.mtx", "3x1 4 bool"},
    {"fmm_graph_matrix_double.mtx", "3x1 4 float64"},
    {"fmm_graph_matrix_double_complex.mtx", "3x1 4 complex128"},
    {"fmm_graph_matrix_float.mtx", "3x1 4 float32"},
    {"fmm_graph_matrix_float_complex.mtx", "3x1 4 complex64"},
    {"fmm_graph_matrix_int16.mtx", "3x1 4 int16"},
    {"fmm_graph_matrix_int32.mtx", "3x1 4 int32"},
    {"fmm_graph_matrix_int64.mtx", "3x1 4 int64"},
    {"fmm_graph_matrix_int8.mtx", "3x1 4 int8"},
    {"fmm_graph_matrix_uint16.mtx", "3x1 4 uint16"},
    {"fmm_graph_matrix_uint8.mtx", "3x1 4 uint8"},
    {"fmm_invalid_bad_banner.mtx", "error:1: The first line is not a Matrix Market banner"},
    {"fmm_invalid_bad_symmetry.mtx", "error:1: Unknown symmetry '___' in the Matrix Market banner"},
    {"fmm_invalid_bad_value.mtx", "error:3: Expected a number, found 'not_a_double'"},
    {"fmm_invalid_bad_value_4.mtx", "error:4: Expected a coordinate (a whole number from 1), found 'ffsafdsafas'"},
    {"fmm_invalid_dimensions_out_of_range_1.mtx", "error:3: The size -3 is negative"},
    {"fmm_invalid_indices_out_of_range_6.mtx", "error:6: The coordinate -2 of dimension 2 is negative"},
    {"fmm_invalid_matrix_coord_too_long.mtx", "error:7: Expected 3 entries, but here is one more"},
    {"fmm_invalid_truncated_header_2.mtx",
     "error:1: The Matrix Market banner ends before the symmetry (general, symmetric, ...)"},
    {"fmm_invalid_truncated_line_2.mtx", "error:5: Expected 12 entries, but the file ends after 3"},
    {"fmm_invalid_vector_array_too_long.mtx", "error:7: Expected 4 values, but here is one more"},
    {"fmm_invalid_vector_coord_too_long.mtx", "error:6: Expected 3 entries, but here is one more"},
    {"fmm_invalid_vector_index_out_of_range_2.mtx", "error:4: The coordinate 200 of dimension 1 is outside of 1..4"},
    {"fmm_invalid_vector_negative_length.mtx", "error:2: The size -4 is negative"},
    {"fmm_nist_ex1_freeformat.mtx", "5x5 8 float64"},
    {"fmm_nist_ex1_more_freeformat.mtx", "5x5 8 float64"},
    {"fmm_overflow_dim_gt_int64.mtx", "error:2: The size '19223372036854775808' does not fit in 64 bits"},
    {"fmm_overflow_index_gt_int64.mtx",
     "error:6: The coordinate 19223372036854775808 of dimension 1 is outside of 1..1000"},
    {"fmm_overflow_value_gt_complex128.mtx", "error:4: The value '1E9999' does not fit in complex128"},
    {"fmm_overflow_value_gt_int32.mtx", "3x3 1 int64"},
    {"fmm_overflow_value_gt_int64.mtx", "error:6: The value '19223372036854775808' does not fit in int64"},
    {"fmm_permi_windows_lineendings_nist_ex1_more_freeformat.mtx", "5x5 8 float64"},
    {"fmm_permissive_banner_one_percent_eye3.mtx", "3x3 3 float64"},
    {"fmm_permissive_lines_indented.mtx", "1x1 1 float64"},
    {"fmm_row_3by4.mtx", "3x4 4 int64"},
    {"fmm_symme_array_hermitian.mtx", "3x3 9 complex128 dense"},
    {"fmm_symme_array_hermitian_general.mtx", "3x3 9 complex128 dense"},
    {"fmm_symme_array_skew-symmetric.mtx", "3x3 9 float64 dense"},
    {"fmm_symme_array_skew-symmetric_general.mtx", "3x3 9 float64 dense"},
    {"fmm_symme_array_symmetric.mtx", "3x3 9 float64 dense"},
    {"fmm_symme_array_symmetric_general.mtx", "3x3 9 float64 dense"},
    {"fmm_symme_coordinate_hermitian_real_row_general.mtx", "3x3 5 float64"},
    {"fmm_symme_coordinate_hermitian_real_row_general_dup.mtx", "3x3 6 float64"},
    {"fmm_symme_coordinate_hermitian_row.mtx", "3x3 5 complex128"},
    {"fmm_symme_coordinate_hermitian_row_general.mtx", "3x3 5 complex128"},
    {"fmm_symme_coordinate_hermitian_row_general_dup.mtx", "3x3 6 complex128"},
    {"fmm_symme_coordinate_pattern_symmetric_row_general_dup.mtx", "3x3 4 float64"},
    {"fmm_symme_coordinate_pattern_symmetric_row_general_zero.mtx", "3x3 4 float64"},
    {"fmm_symme_coordinate_skew_symmetric_row.mtx", "3x3 4 float64"},
    {"fmm_symme_coordinate_skew_symmetric_row_general_dup.mtx", "3x3 4 float64"},
    {"fmm_symme_coordinate_skew_symmetric_row_general_zero.mtx", "3x3 4 float64"},
    {"fmm_symme_coordinate_symmetric_row.mtx", "3x3 5 float64"},
    {"fmm_symme_coordinate_symmetric_row_general.mtx", "3x3 5 float64"},
    {"fmm_symme_coordinate_symmetric_row_general_dup.mtx", "3x3 6 float64"},
    {"fmm_symme_coordinate_symmetric_row_general_zero.mtx", "3x3 6 float64"},
    {"fmm_vector_array.mtx", "4 4 float64 dense"},
    {"fmm_vector_coordinate_complex.mtx", "4 3 complex128"},
    {"fmm_vector_coordinate_dupes.mtx", "4 4 float64"},
    {"fmmpy_vector_array_real_general.mtx", "4 4 float64 dense"},
    {"fmmpy_vector_coordinate_real_general.mtx", "4 3 float64"},
    {"fmmpy_windows_newlines.mtx", "3x3 3 float64"},
    {"lag_A.mtx", "7x7 30 bool"},
    {"lag_comments_cover.mtx", "7x7 12 int32"},
    {"lag_comments_west0067.mtx", "67x67 295 float64"},
    {"lag_cover.mtx", "7x7 12 int32"},
    {"lag_full_noheader.mtx", "error:1: The first line is not a Matrix Market banner"},
    {"lag_lp_afiro_structure.mtx", "27x51 102 float64"},
    {"lag_mangled1.mtx", "error:1: Unknown object 'mangled' in the Matrix Market banner"},
    {"lag_mangled12.mtx", "error:5: Expected 3 numbers (2 coordinates and a value), found 2"},
    {"lag_mangled13.mtx", "error:7: The coordinate 9999 of dimension 2 is outside of 1..4"},
    {"lag_mangled15.mtx", "error:2: The type 'float complex' contradicts the field 'real' of the banner"},
    {"lag_mangled16.mtx", "error:2: The type 'double complex' contradicts the field 'real' of the banner"},
    {"lag_mangled2.mtx", "error:1: Unknown format 'mangled' in the Matrix Market banner"},
    {"lag_mangled3.mtx", "error:1: Unknown field 'mangled' in the Matrix Market banner"},
    {"lag_mangled4.mtx", "error:1: Unknown symmetry 'mangled' in the Matrix Market banner"},
    {"lag_mangled6.mtx", "error:1: Only complex matrices are hermitian, but the field is 'real'"},
    {"lag_mangled7.mtx", "error:2: Unknown type 'gunk'"},
    {"lag_mangled_format.mtx", "error:1: A pattern cannot be an array: an array has values only"},
    {"lag_mangled_int16.mtx", "error:8: The value '-32769' does not fit in int16"},
    {"lag_mangled_int32.mtx", "error:8: The value '-2147483649' does not fit in int32"},
    {"lag_mangled_skew.mtx", "error:2: Unsigned values cannot be skew-symmetric: half of them would be negative"},
    {"lag_mangled_uint16.mtx", "error:9: The value '65536' does not fit in uint16"},
    {"lag_mangled_uint32.mtx", "error:9: The value '4294967296' does not fit in uint32"},
    {"lag_matrix_fp64.mtx", "7x7 12 float64"},
    {"lag_matrix_int16.mtx", "7x7 12 int16"},
    {"lag_matrix_int64.mtx", "7x7 12 int64"},
    {"lag_matrix_int8.mtx", "7x7 12 int8"},
    {"lag_matrix_uint8.mtx", "7x7 12 uint8"},
    {"lag_msf2.mtx", "8x8 12 int64"},
    {"lag_sample2.mtx", "8x8 28 bool"},
    {"lag_sources_7.mtx", "64x1 64 int64"},
    {"lag_west0067_jumbled.mtx", "67x67 294 float64"},
    {"lag_west0067_noheader.mtx", "error:1: The first line is not a Matrix Market banner"},
    {"mlir_block.mtx", "4x6 8 float64"},
    {"mlir_coordinate_above_dimension.tns", "error:4: The coordinate 5 of dimension 1 is outside of 1..4"},
    {"mlir_coordinate_zero.tns", "error:4: The coordinate of dimension 1 is 0, but coordinates count from 1"},
    {"mlir_rank8_test.tns", "7x3x3x3x3x3x5x3 16 float64"},
    {"mongoose_bad_dimensions.mtx", "error:3: The file ends before the line with the sizes"},
    {"parcore_6x4-12nz.mtx", "error:9: A symmetric matrix must be square, but this one is 6 x 4"},
    {"parcore_explicit_zerodiag.mtx", "4x4 8 float64"},
    {"parcore_explicit_zerooff.mtx", "4x4 10 float64"},
    {"parcore_problematic.mtx", "error:9: A symmetric matrix must be square, but this one is 6 x 4"},
    {"parti_3d_3_8.tns", "3x3x3 8 float64"},
    {"parti_3d_7.tns", "4x4x3 9 float64"},
    {"paru_c32.mtx", "error:10: The coordinate of dimension 1 is 0, but coordinates count from 1"},
    {"pyttb_invalid_dims.tns", "error:1: This is a Tensor Toolbox file: it starts with 'matrix'"},
    {"pyttb_invalid_type.tns", "error:1: Expected a number, found 'list'"},
    {"pyttb_ktensor.tns", "error:1: This is a Tensor Toolbox file: it starts with 'ktensor'"},
    {"pyttb_matrix.tns", "error:1: This is a Tensor Toolbox file: it starts with 'matrix'"},
    {"pyttb_sptensor.tns", "error:1: This is a Tensor Toolbox file: it starts with 'sptensor'"},
    {"pyttb_tensor.tns", "error:1: This is a Tensor Toolbox file: it starts with 'tensor'"},
    {"sam_bcsstm02-vec_mode0-0.001.tns", "error: The file has no entries, so its number of dimensions is unknown"},
    {"sam_lp_scsd1-vec_mode1-0.001.tns", "598 1 float64"},
    {"splatt_small4_zeroidx.tns", "error:2: The coordinate of dimension 4 is 0, but coordinates count from 1"},
    {"spqr_s32.mtx", "error:10: The coordinate of dimension 1 is 0, but coordinates count from 1"},
    {"taco_2tensor.mtx", "32x32 3 float64"},
    {"taco_3tensor.tns", "1073x1x7 3 float64"},
    {"taco_d33.ttx", "3x3 9 float64 dense"},
    {"taco_ds33.mtx", "3x3 5 float64"},
    {"tfdp_mesh3e1.mtx", "error:3: The coordinate of dimension 2 is 0, but coordinates count from 1"},
    {"tfdp_netscience.mtx", "error:3: The coordinate of dimension 2 is 0, but coordinates count from 1"},
    {"tfdp_price_1000.mtx", "error:3: The coordinate of dimension 2 is 0, but coordinates count from 1"},
    {"tfdp_sierpinski3d.mtx", "error:3: The coordinate of dimension 2 is 0, but coordinates count from 1"},
    {"tfdp_visbrazil.mtx", "error:3: The coordinate of dimension 2 is 0, but coordinates count from 1"},
};

/// Files of formats that are not read; their names say so.
const std::vector<std::string> unknown_extensions = {
    "cholmodT_0",          "cholmodT_5by50",      "cholmodT_crud2",     "cholmodT_int_overflow.tri",
    "cholmodT_write.tri",  "cholmodT_zero",       "cholmod_0.tri",      "cholmod_d.tri",
    "cholmod_mangle5.tri", "cholmod_mangle6.tri", "cholmod_one.tri",    "fmm_permi_README.md",
    "graphblas_huge",      "rbio_mangled_1.rb",   "rbio_mangled_12.rb", "rbio_mangled_13.rb",
    "rbio_mangled_14.rb",  "rbio_mangled_15.rb",  "rbio_mangled_3.rb",  "rbio_mangled_5.rb",
    "rbio_mangled_6.rb",   "rbio_mangled_8.rb",   "rbio_mangled_9.rb",  "taco_rua_32.rb"};

std::string outcome(const std::filesystem::path& file) {
  try {
    Coordinates entries = read_file(file.string());
    return fmt::format("{} {} {}{}", fmt::join(entries.dimensions, "x"), entries.count(),
                       to_string(entries.values.type()), entries.is_dense ? " dense" : "");
  } catch (const UserError& error) {
    std::string text = error.text().substr(0, error.text().find('\n'));
    std::string start = "error: " + file.string();
    return text.starts_with(start) ? "error" + text.substr(start.size()) : text;
  }
}

TEST(OddFiles, DoWhatTheTableSays) {
  if (!std::filesystem::exists(data / "odd")) GTEST_SKIP() << "the data are not here";
  for (const auto& [name, expected] : expectations) {
    if (std::filesystem::exists(data / "odd" / name)) {
      EXPECT_EQ(outcome(data / "odd" / name), expected) << name;
    }
  }
  for (const std::string& name : unknown_extensions) {
    std::string text = outcome(data / "odd" / name);
    EXPECT_TRUE(text.find("is not that of a known file format") != std::string::npos ||
                text.find("has no extension") != std::string::npos)
        << text;
  }
}

TEST(OddFiles, NeverDoAnythingButReadOrComplain) {
  if (!std::filesystem::exists(data / "odd")) GTEST_SKIP() << "the data are not here";
  for (const auto& file : std::filesystem::directory_iterator(data / "odd")) {
    EXPECT_NO_THROW(outcome(file.path())) << file.path();
    // The same bytes under every extension: readers must also survive the formats of others.
    for (const char* extension : {".mtx", ".ttx", ".tns"}) {
      std::filesystem::path copy = std::filesystem::temp_directory_path() /
                                   fmt::format("filigree-odd-{}{}", getpid(), extension);
      std::filesystem::copy_file(file.path(), copy, std::filesystem::copy_options::overwrite_existing);
      std::filesystem::permissions(copy, std::filesystem::perms::owner_all);
      EXPECT_NO_THROW(outcome(copy)) << file.path() << " as " << extension;
      std::filesystem::remove(copy);
    }
  }
}

/// The index of the data lists sizes and numbers of entries after expansion, found by another program.
TEST(RealFiles, HaveTheSizesThatTheIndexStates) {
  if (!std::filesystem::exists(data / "INDEX.md")) GTEST_SKIP() << "the data are not here";
  // Its diagonal has an imaginary part; two more are listed with sizes that do not come from their entries.
  const std::vector<std::string> exceptions = {"parti_3D_23876.tns", "parti_4d_3_16.tns"};
  std::regex row(R"(\| (?:matrices|tensors)/(\S+) \| [^|]*\| [^|]*\| [^|]*\| ([^|]*?) \| [^|]*\| (\d+) \|.*)");
  std::ifstream index(data / "INDEX.md");
  std::string line;
  int compared = 0;
  while (std::getline(index, line)) {
    std::smatch found;
    if (!std::regex_match(line, found, row)) continue;
    std::string name = found[1], size = found[2], count = found[3];
    if (std::find(exceptions.begin(), exceptions.end(), name) != exceptions.end()) continue;
    size.erase(std::remove(size.begin(), size.end(), ' '), size.end());
    std::filesystem::path file = data / (name.find(".mtx") != std::string::npos ? "matrices" : "tensors") / name;
    if (!std::filesystem::exists(file)) continue;
    EXPECT_EQ(outcome(file).substr(0, size.size() + count.size() + 2), size + " " + count + " ") << name;
    compared++;
  }
  EXPECT_GT(compared, 0);
}

}  // namespace
}  // namespace filigree
