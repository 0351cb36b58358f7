// A program outside the project that uses the installed library.
#include "saltus/base/types.h"

int main() {
  const saltus::Pose pose;
  return pose * saltus::Vector3::UnitX() == saltus::Vector3::UnitX() ? 0 : 1;
}
