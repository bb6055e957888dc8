#include "jit/sha256.h"

#include <gtest/gtest.h>

namespace filigree::jit {
namespace {

std::string digest_of(const std::string& message) { return hex(Sha256().add(message).finish()); }

// The messages and digests of FIPS 180-4's examples.
TEST(Sha256, AgreesWithTheStandard) {
  EXPECT_EQ(digest_of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(digest_of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(digest_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(digest_of(std::string(1000000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, DoesNotDependOnHowTheMessageIsCut) {
  const std::string message(300, 'x');
  for (std::size_t cut : {1, 55, 56, 63, 64, 65, 128, 299})
    EXPECT_EQ(hex(Sha256().add(message.substr(0, cut)).add(message.substr(cut)).finish()), digest_of(message));
}

TEST(Sha256, FieldsKeepTheirBoundaries) {
  EXPECT_NE(Sha256().add_field("ab").add_field("c").finish(), Sha256().add_field("a").add_field("bc").finish());
}

}  // namespace
}  // namespace filigree::jit
