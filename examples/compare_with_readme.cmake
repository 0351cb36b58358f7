# Fails unless SOURCE stands word for word in README.
file(READ ${README} readme)
file(READ ${SOURCE} source)
string(FIND "${readme}" "${source}" place)
if(place EQUAL -1)
  message(FATAL_ERROR "README.md does not hold the present text of ${SOURCE}")
endif()
