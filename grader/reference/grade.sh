#!/bin/sh
# Judges sort.sh, which sorts the numbers of its standard input, one in each line. This image contains no expected
# outputs: it invents inputs, and sorts them while nothing of the submission runs.
script="$SUBMISSION_DIR/sort.sh"
[ -f "$script" ] || { echo "There is no sort.sh."; exit 64; }

# Prints $2 random numbers below $1.
numbers() {
  od -An -v -tu2 -w2 -N $(($2 * 2)) /dev/urandom | while read -r number; do echo $((number % $1)); done
}

# Ends every process except this one, which is the container's first. Then only this script can write.
end_submission() {
  kill -9 -1 2> /dev/null
  wait
  chmod -R u+rwx /tmp/* /results/* /autograder/results/* /app/output/* /logs/verifier/* /output/* 2> /dev/null
  rm -rf /tmp/* /tmp/.[!.]* /results/* /autograder/results/* /app/output/* /logs/verifier/* /output/* || exit 1
}

tests=""
passed=0
total=0
check() {
  input="$2"
  expected="$(printf '%s' "${input:+$input
}" | sort -n)"
  : > /tmp/answer || exit 1
  # The file is opened before the submission runs, so that a replacement is never read.
  exec 3< /tmp/answer
  printf '%s' "${input:+$input
}" | timeout -s KILL 5 sh "$script" > /tmp/answer 2> /dev/null 3<&-
  answer="$(head -c 1000 <&3)"
  exec 3<&-
  end_submission
  if [ "$answer" = "$expected" ]; then verdict=true; passed=$((passed + 1)); else verdict=false; fi
  total=$((total + 1))
  tests="$tests${tests:+,}{\"name\": \"$1\", \"passed\": $verdict}"
}

check "single digits" "$(numbers 10 6)"
check "ten before nine" "$(numbers 10 3)
9
10
$(numbers 1000 3)"
check "nothing" ""
check "negative numbers" "-2
-9
$(numbers 10 2)"

echo "{\"score\": $((100 * passed / total)), \"tests\": [$tests]}" > "$SCORE_FILE" || exit 1
