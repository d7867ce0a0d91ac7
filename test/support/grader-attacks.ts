// Lists attacks on the grader as data: what a submission does, in which image, and how the run must end. test/e2e/grader-attacks.test.ts
// runs them with real containers, and docs/grader.md lists them.
import type { GradingRequest, GradingResult } from "../../src/ports/grading.ts";
import type { ImageChoices } from "./container-engine.ts";

/** Only the expected outputs contain this, so a run whose output contains it has leaked one. */
export const SECRET = "zebra-5b1c9e";

/** Returns shell code that writes text to a file, such as a result that an attack on a file format needs. */
const at = (path: string, text: string) => `cat > ${path} << 'END'\n${text}\nEND\n`;

export const ATTACKED_IMAGES = {
	/** Runs the submission for the cases of a suite, as most images for suites do. */
	runner: { script: 'exec sh "$SUBMISSION_DIR/run.sh"' },
	/** Does everything that the submission says. */
	obedient: { script: 'sh "$SUBMISSION_DIR/run.sh"' },
	/** Writes its score and ends, and leaves the submission running. */
	hasty: { script: `sh "$SUBMISSION_DIR/run.sh" & echo '{"score": 10}' > "$SCORE_FILE"` },
	/** Pastes the submission's text into its score, unescaped. */
	pasting: { script: `echo "{\\"score\\": 10, \\"notes\\": \\"$(cat "$SUBMISSION_DIR/run.sh")\\"}" > "$SCORE_FILE"` },
	/** Pastes the submission's text into a report, unescaped. */
	reporting: {
		script: `echo "<testsuite><testcase name='a'><failure>$(cat "$SUBMISSION_DIR/run.sh")</failure></testcase></testsuite>" > /results/junit.xml`,
	},
	/** Starts a program of the submission as its own. */
	direct: { script: "", changes: ['ENTRYPOINT ["/submission/main"]'] },
} as const satisfies Record<string, ImageChoices>;

const secretSuite = [
	{ name: "exact", input: "1", expected_output: `${SECRET}-1`, match_type: "exact" },
	{ name: "contains", input: "2", expected_output: `${SECRET}-2`, match_type: "contains" },
	{ name: "regex", input: "3", expected_output: `^${SECRET}-\\d$`, match_type: "regex" },
];
const numberSuite = [
	{ name: "contains", input: "", expected_output: "4711", match_type: "contains" },
	{ name: "regex", input: "", expected_output: "^4711$", match_type: "regex" },
];
const halfPublicSuite = [
	{ name: "shown", input: "1", expected_output: SECRET, match_type: "exact", public: true },
	{ name: "hidden", input: "hidden-input", expected_output: SECRET, match_type: "exact" },
];
const twoCases = ["first", "second"].map((name) => ({ name, input: name, expected_output: "left", match_type: "exact" }));

export interface Attack {
	/** The part that keeps the attack from scoring: the grader with any image, or an image that is as careful as the reference image. */
	readonly stoppedBy: "grader" | "image";
	readonly image: keyof typeof ATTACKED_IMAGES | "reference";
	/** The submission's program. Missing if the archive itself is the attack. */
	readonly run?: string;
	readonly suite?: readonly object[];
	readonly change?: Partial<GradingRequest>;
	readonly outcome: GradingResult["outcome"];
	/** The score that the grader gives. The default is 0. */
	readonly score?: number;
	/** What people must not see in the run's output. */
	readonly hides?: RegExp;
	/** What the output shows if the attack failed. */
	readonly output?: RegExp;
}

const lazy = "cat > /dev/null; echo nothing";
/** Writes a full score to every possible place, again and again. */
const overwrite = `(while :; do
	for file in /results/score.json /app/output/scores.json /output/metrics.json; do echo '{"score": 100}' > $file; chmod 444 $file; done
	echo 1 > /logs/verifier/reward.txt
done) > /dev/null 2>&1 &`;
const GRADED_WITH_ONE = `echo '{"score": 1}' > /results/score.json`;
const error = "grader_error";

export const ATTACKS: Readonly<Record<string, Attack>> = {
	"reads the expected outputs from the task's folder": {
		stoppedBy: "grader",
		image: "runner",
		suite: secretSuite,
		run: `grep -o '"expected_output": *"[^"]*"' /task/test_suite.json | cut -d '"' -f 4; cat /task/*`,
		outcome: "graded",
		hides: new RegExp(SECRET),
	},
	"looks for the expected outputs in every file, process and variable": {
		stoppedBy: "grader",
		image: "runner",
		suite: secretSuite,
		run: `env; grep -rhoa 'zeb''ra-5b1c9e-[0-9]' /task /submission /input /results /tmp /etc /run /dev/shm /proc/1/environ /proc/1/cmdline /proc/self/mountinfo 2> /dev/null; true`,
		outcome: "graded",
		hides: new RegExp(SECRET),
	},
	"prints every number, for a case that searches for one number": {
		stoppedBy: "grader",
		image: "runner",
		suite: numberSuite,
		run: "seq 0 9999",
		outcome: "graded",
	},
	"prints more than the grader keeps": {
		stoppedBy: "grader",
		image: "runner",
		suite: [{ name: "exact", input: "", expected_output: "4", match_type: "exact" }],
		run: "echo 4; head -c 7000000 /dev/zero | tr '\\0' ' '; echo junk",
		outcome: "graded",
	},
	"shows the inputs of hidden cases in the output of a public one": {
		stoppedBy: "grader",
		image: "runner",
		suite: halfPublicSuite,
		run: `[ "$(cat)" = 1 ] && cat /task/test_suite.json; echo done`,
		outcome: "graded",
		hides: /"input":\\"?hidden-input/,
	},
	"leaves a file for the next case": {
		stoppedBy: "grader",
		image: "runner",
		suite: twoCases,
		run: `ls /tmp /results /dev/shm | grep -q mark && echo left; touch /tmp/mark /results/mark /dev/shm/mark /submission/mark 2> /dev/null; true`,
		outcome: "graded",
	},
	"asks for another try with exit code 75": { stoppedBy: "grader", image: "runner", suite: secretSuite, run: "exit 75", outcome: error },
	"exits with the code for a missing program": { stoppedBy: "grader", image: "obedient", run: "exit 127", outcome: error },
	"imitates an image that cannot be started": {
		stoppedBy: "grader",
		image: "obedient",
		run: 'echo "exec /bin/sh: exec format error" >&2; exit 1',
		outcome: error,
	},
	"leaves out the program that the image starts": { stoppedBy: "grader", image: "direct", run: lazy, outcome: error },
	"exits with the code for an invalid submission": {
		stoppedBy: "grader",
		image: "runner",
		suite: secretSuite,
		run: "exit 64",
		outcome: "submission_invalid",
	},
	"is an archive with a broken entry": { stoppedBy: "grader", image: "obedient", outcome: "submission_invalid" },
	"is an archive with a file name that is too long": { stoppedBy: "grader", image: "obedient", outcome: "submission_invalid" },
	"adds a second key to the image's score": {
		stoppedBy: "grader",
		image: "pasting",
		run: 'x", "score": 100, "y": "',
		outcome: error,
	},
	"adds the same key in another spelling": {
		stoppedBy: "grader",
		image: "pasting",
		run: 'x", "\\u0073core": 100, "y": "',
		outcome: error,
	},
	"writes another score next to the image's": {
		stoppedBy: "grader",
		image: "obedient",
		run: `${at("/results/score.json", '{"score": 10}')}${at("/output/metrics.json", '{"score": 100}')}`,
		outcome: error,
	},
	"closes the image's report and opens one of its own": {
		stoppedBy: "grader",
		image: "reporting",
		run: "</failure></testcase></testsuite><testsuite><testcase name='b'/></testsuite><testsuite><testcase name='c'><failure>",
		outcome: error,
	},
	"declares entities in a report": {
		stoppedBy: "grader",
		image: "obedient",
		run: at(
			"/results/junit.xml",
			`<!DOCTYPE t [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;"><!ENTITY f SYSTEM "file:///etc/passwd">]><testsuite><testcase name="&b;&f;"/></testsuite>`,
		),
		outcome: error,
	},
	"writes an endlessly nested report": {
		stoppedBy: "grader",
		image: "obedient",
		run: "yes '<testsuite>' | head -c 1000000 > /results/junit.xml",
		outcome: error,
	},
	"writes a report whose summary is better than its tests": {
		stoppedBy: "grader",
		image: "obedient",
		run: at(
			"/results/ctrf-report.json",
			'{"results": {"summary": {"tests": 1, "passed": 1}, "tests": [{"name": "a", "status": "failed"}]}}',
		),
		outcome: error,
	},
	"writes a score above 100": { stoppedBy: "grader", image: "obedient", run: at("/results/score.json", '{"score": 1e3}'), outcome: error },
	"writes an infinite score": {
		stoppedBy: "grader",
		image: "obedient",
		run: at("/results/score.json", '{"score": 1e999}'),
		outcome: error,
	},
	"writes a score as text": { stoppedBy: "grader", image: "obedient", run: at("/results/score.json", '{"score": "100"}'), outcome: error },
	"writes an endlessly nested score": {
		stoppedBy: "grader",
		image: "obedient",
		run: `(printf '{"score": 100, "breakdown": '; yes '[' | head -n 300000 | tr -d '\\n') > /results/score.json`,
		outcome: error,
	},
	"writes a score that is not UTF-8": {
		stoppedBy: "grader",
		image: "obedient",
		run: `printf '{"score": 100, "notes": "\\377"}' > /results/score.json`,
		outcome: error,
	},
	"writes a score file of 5 MB": {
		stoppedBy: "grader",
		image: "obedient",
		run: `(printf '{"score": 100, "notes": "'; head -c 5000000 /dev/zero | tr '\\0' x; printf '"}') > /results/score.json`,
		outcome: error,
	},
	"leaves a link in place of the score": {
		stoppedBy: "grader",
		image: "obedient",
		run: "ln -s /submission/run.sh /results/score.json",
		outcome: error,
	},
	"leaves a link in place of a folder": {
		stoppedBy: "grader",
		image: "obedient",
		run: "rm -rf /results/score.json; ln -s /etc/passwd /results/score.json; ln -s / /output/metrics.json",
		outcome: error,
	},
	"leaves a pipe in place of the score": { stoppedBy: "grader", image: "obedient", run: "mkfifo /results/score.json", outcome: error },
	"makes a device in place of the score": {
		stoppedBy: "grader",
		image: "obedient",
		run: "mknod /results/score.json c 1 5 || mknod /tmp/x b 254 0",
		outcome: error,
	},
	"prints a score": { stoppedBy: "grader", image: "obedient", run: `echo '{"score": 100}'`, outcome: "grader_no_result" },
	"writes its score after the image has ended": {
		stoppedBy: "grader",
		image: "hasty",
		run: `sleep 1; echo '{"score": 100}' > /results/score.json`,
		outcome: "graded",
		score: 10,
	},
	"changes the submission, the task or the system": {
		stoppedBy: "grader",
		image: "obedient",
		run: `for place in / /bin /etc /etc/hosts /task /submission /input /sys/fs/cgroup /proc/sys/kernel; do (echo x > $place/x || echo x >> $place) 2> /dev/null && echo "wrote to $place"; done
mount -o remount,rw / 2> /dev/null && echo remounted; umount /submission 2> /dev/null && echo unmounted; date -s 2000-01-01 > /dev/null 2>&1; [ "$(date +%Y)" = 2000 ] && echo "set the clock"
${GRADED_WITH_ONE}; echo "tried"`,
		outcome: "graded",
		score: 1,
		output: /^tried\n$/,
	},
	"gains privileges with a set-user-id program": {
		stoppedBy: "grader",
		image: "obedient",
		run: `cp /bin/busybox /tmp/busybox; chmod 6755 /tmp/busybox; /tmp/busybox grep -E 'Cap(Prm|Eff)|NoNewPrivs' /proc/self/status; ${GRADED_WITH_ONE}`,
		outcome: "graded",
		score: 1,
		output: /^CapPrm:\t0+\nCapEff:\t0+\nNoNewPrivs:\t1\n$/,
	},
	"looks for the grader's secrets": {
		stoppedBy: "grader",
		image: "obedient",
		run: `env; cat /proc/1/environ | tr '\\0' '\\n'; ${GRADED_WITH_ONE}`,
		outcome: "graded",
		score: 1,
		hides: /token|password|proxy=./i,
	},
	"looks for the machine's names and the number of the run": {
		stoppedBy: "grader",
		image: "obedient",
		run: `{ env; hostname; cat /etc/hosts /etc/hostname /etc/resolv.conf /proc/self/mountinfo /proc/self/cgroup /run/.containerenv /task/task.json; } 2> /dev/null | grep -iE 'looks-for-the|containers.internal|grading-|-1$' ; ${GRADED_WITH_ONE}; echo "seen"`,
		outcome: "graded",
		score: 1,
		output: /^seen\n$/,
	},
	"uses the network": {
		stoppedBy: "grader",
		image: "obedient",
		run: `for host in REACH 169.254.169.254 1.1.1.1 localhost; do nc -w 1 $host 80 < /dev/null 2> /dev/null && echo "reached $host"; done; ${GRADED_WITH_ONE}; ip -o link | wc -l`,
		outcome: "graded",
		score: 1,
		output: /^1\n$/,
	},
	"uses up the memory": { stoppedBy: "grader", image: "runner", suite: secretSuite, run: "tail /dev/zero", outcome: "grader_oom" },
	"uses up the memory with files": {
		stoppedBy: "grader",
		image: "runner",
		run: "dd if=/dev/zero of=/dev/shm/big bs=1M; dd if=/dev/zero of=/tmp/big bs=1M count=600",
		outcome: "grader_oom",
	},
	"uses up the processes": {
		stoppedBy: "grader",
		image: "runner",
		run: "bomb() { bomb | bomb & }; (bomb) 2> /dev/null & while :; do read -r line < /dev/null; done",
		change: { timeout_s: 2 },
		outcome: "grader_timeout",
	},
	"never ends, and ignores signals to end": {
		stoppedBy: "grader",
		image: "runner",
		suite: secretSuite,
		run: "trap '' TERM INT HUP; while :; do sleep 1; done",
		change: { timeout_s: 1 },
		outcome: "grader_timeout",
	},
	"floods the result folders": { stoppedBy: "grader", image: "obedient", run: `${GRADED_WITH_ONE}; yes > /output/big`, outcome: error },
	"overwrites the score while the image works": {
		stoppedBy: "image",
		image: "reference",
		run: `${overwrite}\n${lazy}`,
		outcome: "graded",
	},
	"replaces the score with a folder that cannot be entered": {
		stoppedBy: "image",
		image: "reference",
		run: `mkdir -p /results/score.json/a; chmod 000 /results/score.json; ${lazy}`,
		outcome: "graded",
	},
	"fills the temporary disk and the result folders": {
		stoppedBy: "image",
		image: "reference",
		run: `yes > /results/big; dd if=/dev/zero of=/tmp/big bs=1M count=100; ${lazy}`,
		outcome: "graded",
	},
	"looks into the memory of the image's program": {
		stoppedBy: "image",
		image: "reference",
		run: `cat > /tmp/input; if cat /proc/1/environ /proc/1/maps > /dev/null 2>&1 || ls /proc/1/fd > /dev/null 2>&1; then sort -n /tmp/input; else echo nothing; fi`,
		outcome: "graded",
	},
	"writes to the image's own output and descriptors": {
		stoppedBy: "image",
		image: "reference",
		run: `for fd in 0 1 2 3 4 5; do echo '{"score": 100}' > /proc/1/fd/$fd; done 2> /dev/null; ${lazy}`,
		outcome: "graded",
	},
	"ends or stops every process that it can": {
		stoppedBy: "image",
		image: "reference",
		run: "kill -STOP 1; kill -9 1; kill -9 -1; echo never",
		outcome: "graded",
	},
	"replaces its own output with a link": {
		stoppedBy: "image",
		image: "reference",
		run: `rm -f /tmp/answer; ln -s /grade.sh /tmp/answer; ${lazy}`,
		outcome: "graded",
	},
	"leaves a process running for the next case": {
		stoppedBy: "image",
		image: "reference",
		run: `(trap '' TERM HUP INT; while :; do cat /tmp/* > /results/seen; done) > /dev/null 2>&1 & ${lazy}`,
		outcome: "graded",
	},
	"reads the expected outputs from the image's files": {
		stoppedBy: "image",
		image: "reference",
		run: `cat > /tmp/input; grep -rl 'ten before nine' /grade.sh | xargs cat; echo`,
		outcome: "graded",
	},
};
