#include "saltus/scene/obj_file.h"

#include <gtest/gtest.h>

#include "saltus/base/error.h"

namespace saltus {
namespace {

TEST(ObjFile, ReadsVerticesAndSplitsFaces) {
  const MeshData mesh = ParseObj(
      "# a square and a triangle\no thing\nv 0 0 0\nv 1 0 0\r\nv 1 1 0\nv 0 1 0\nvn 0 0 1\n"
      "f 1/1/1 2//1 3 4\nf -4 -3 -2\n",
      "thing.obj");
  ASSERT_EQ(mesh.vertices.size(), 4U);
  EXPECT_EQ(mesh.vertices[2], Vector3(1, 1, 0));
  ASSERT_EQ(mesh.triangles.size(), 3U);
  EXPECT_EQ(mesh.triangles[1], (std::array<int, 3>{0, 2, 3}));
  EXPECT_EQ(mesh.triangles[2], (std::array<int, 3>{0, 1, 2}));
}

TEST(ObjFile, FaultsHaveTheirLine) {
  for (const char* text :
       {"v 0 0 0\nv 0 x 0\n", "v 0 0 0\nf 1 1 2\n", "v 0 0 0\nf 0 1 1\n", "v 0 0 0\nf 1 1\n",
        "v 0 0 0\nf 1 99999999999999999999 1\n", "v 0 0 0\nv 1 0 nan\n"}) {
    try {
      ParseObj(text, "thing.obj");
      ADD_FAILURE() << text;
    } catch (const InputError& error) {
      EXPECT_EQ(error.location().line, 2) << text;
    }
  }
  EXPECT_THROW(ParseObj("v 0 0 0\n", "thing.obj"), InputError);
}

}  // namespace
}  // namespace saltus
