// Tests attacks on the grader with real containers: none of them scores what it has not earned, and each ends in the documented outcome.
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { zipSync } from "fflate";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { GradingRequest } from "../../src/ports/grading.ts";
import { runEngine, titled, whyNoContainers } from "../support/container-engine.ts";
import { ATTACKED_IMAGES, ATTACKS, type Attack, SECRET } from "../support/grader-attacks.ts";
import { gradingRequestOf, ownAddress } from "../support/grader-jobs.ts";
import { type StagedGrader, setGraderStage } from "../support/grader-stage.ts";
import { buildReferenceImage } from "../support/reference-image.ts";

const encode = (text: string) => new TextEncoder().encode(text);
const idOf = (title: string) => title.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");

/** The platform's check of a sample can miss the attack in each of these archives. */
const ARCHIVES: Readonly<Record<string, () => Uint8Array>> = {
	"is an archive with a broken entry": () => {
		const zip = zipSync({ "SUBMISSION.md": encode("# What I Built"), "run.sh": [encode(`echo ${"x".repeat(2_000)}`), { level: 0 }] });
		zip[zip.indexOf("x".charCodeAt(0), 500)] = 0;
		return zip;
	},
	"is an archive with a file name that is too long": () => zipSync({ ["n".repeat(300)]: encode("x") }),
};

describe("the table of attacks", () => {
	it("has at least thirty, and is the one of docs/grader.md", async () => {
		expect(Object.keys(ATTACKS).length).toBeGreaterThanOrEqual(30);
		const page = await readFile(fileURLToPath(new URL("../../docs/grader.md", import.meta.url).href), "utf8");
		const rows = page.split("\n").flatMap((line) => {
			const [, attack, stoppedBy, end] = /^\| A submission (.+) \| (grader|image) \| (.+) \|$/.exec(line) ?? [];
			return attack === undefined ? [] : [[attack, stoppedBy, end]];
		});
		const expected = Object.entries(ATTACKS).map(([attack, { stoppedBy, outcome, score = 0 }]) => {
			return [attack, stoppedBy, outcome === "graded" ? `scores ${score}` : `\`${outcome}\``];
		});
		expect(rows).toEqual(expected);
	});
});

describe.skipIf(whyNoContainers !== null)(titled("a submission with real containers"), () => {
	const stage = setGraderStage(ATTACKED_IMAGES);
	let grader: StagedGrader;
	const reference = `localhost/bounty-test-reference-${process.pid}:1`;

	const request = (title: string, { image, run = "", suite, change = {} }: Attack): GradingRequest => {
		const script = run.replaceAll("REACH", ownAddress());
		const archive = ARCHIVES[title]?.();
		const artifact_url =
			archive === undefined ? stage.files.addArtifact({ "run.sh": script, "sort.sh": script }) : stage.files.addBytes(archive);
		const test_suite_url = suite === undefined ? null : stage.files.addText(JSON.stringify({ test_cases: suite }));
		const name = image === "reference" ? reference : stage.names[image];
		return gradingRequestOf({ id: idOf(title), image: name, artifact_url }, { test_suite_url, ...change });
	};

	beforeAll(async () => {
		await buildReferenceImage(stage.engine, reference);
		grader = await stage.start({ env: { PARALLEL_JOBS: "4", HTTP_PROXY: "http://user:proxy-password@127.0.0.1:9" } });
		for (const [title, attack] of Object.entries(ATTACKS)) await grader.submit(request(title, attack));
	});

	afterAll(() => {
		runEngine(stage.engine, "rmi", "--force", reference);
	});

	it.each(Object.entries(ATTACKS))("that %s gains nothing", async (title, { outcome, score = 0, hides = /$^/, output = /^/ }) => {
		const result = await grader.finish(idOf(title));
		expect(result.outcome, `${result.message} ${result.output}`).toBe(outcome);
		const isScored = outcome === "graded" || outcome === "submission_invalid";
		expect(result.test_score, JSON.stringify(result)).toBe(isScored ? score : null);
		expect(JSON.stringify(result)).not.toMatch(hides);
		expect(JSON.stringify(result)).not.toContain(grader.token);
		expect(result.output).toMatch(output);
		expect(await grader.leftoversOf(idOf(title))).toEqual([]);
	});

	it("that does the work gets its score, so the images and suites of the attacks are fair", async () => {
		const honest = { outcome: "graded", stoppedBy: "grader" } as const;
		const doubling = [{ name: "says it", input: "", expected_output: SECRET, match_type: "contains" }];
		const told = await grader.submit(request("honest-suite", { ...honest, image: "runner", suite: doubling, run: `echo ${SECRET}` }));
		const sorted = await grader.submit(request("honest-reference", { ...honest, image: "reference", run: "sort -n" }));
		for (const { id } of [told, sorted]) expect(await grader.finish(id)).toMatchObject({ outcome: "graded", test_score: 100 });
	});
});
