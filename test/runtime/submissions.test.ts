import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as rules from "../../src/core/competition/submissions/rules.ts";
import * as artifacts from "../../src/core/judging/artifacts/rules.ts";
import { AppError } from "../../src/domain/errors.ts";
import { SUBMISSION_SECTIONS } from "../../src/domain/submission-sections.ts";

const encoder = new TextEncoder();

function refusal(rule: () => unknown): AppError | null {
	try {
		rule();
		return null;
	} catch (error) {
		if (error instanceof AppError) return error;
		throw error;
	}
}

describe("paths", () => {
	it("that are accepted never leave the folder they are unpacked into", () => {
		const segment = fc.oneof(fc.constantFrom("..", ".", "", "a", "...", "C:", "\\", "~"), fc.string({ unit: "binary", maxLength: 5 }));
		fc.assert(
			fc.property(fc.array(segment, { maxLength: 6 }), (segments) => {
				const path = segments.join("/");
				if (artifacts.findArtifactPathFault(path) !== null) return;
				const resolved = new URL(path.split("/").map(encodeURIComponent).join("/"), "file:///root/").pathname;
				expect(resolved.startsWith("/root/")).toBe(true);
				expect(encoder.encode(path).byteLength).toBeLessThanOrEqual(512);
			}),
			{ numRuns: 500 },
		);
	});
});

describe("files", () => {
	const name = fc.string({ unit: fc.constantFrom("a", "A", "b", "é", "e", "\u0301", "ß", "S", "/"), minLength: 1, maxLength: 4 });

	it("that are accepted have no two names that are equal on another file system", () => {
		fc.assert(
			fc.property(fc.uniqueArray(name, { minLength: 1, maxLength: 6 }), (names) => {
				const refused = refusal(() => artifacts.parseFiles(Object.fromEntries(names.map((path) => [path, ""]))));
				const folded = names.map((path) => path.normalize("NFC").toLowerCase());
				if (new Set(folded).size < folded.length) expect(refused?.code).toBe("INVALID_BODY");
				if (refused === null) expect(names.every((path) => artifacts.findArtifactPathFault(path) === null)).toBe(true);
			}),
			{ numRuns: 500 },
		);
	});

	it("keep their content, as text and as base64", () => {
		fc.assert(
			fc.property(fc.string({ unit: "grapheme" }), fc.uint8Array(), (text, bytes) => {
				const files = artifacts.parseFiles({ text, wrapped: { content: text }, bytes: { content: bytes.toBase64(), encoding: "base64" } });
				expect(files.map(({ content }) => content)).toEqual([encoder.encode(text), encoder.encode(text), bytes]);
			}),
		);
	});

	it("are refused or accepted, for any input, and a refusal names the fault", () => {
		fc.assert(
			fc.property(fc.dictionary(fc.string(), fc.anything(), { maxKeys: 4 }), (files) => {
				const refused = refusal(() => artifacts.parseFiles(files));
				if (refused !== null)
					expect(refused.facts.details).toEqual([{ path: expect.stringMatching(/^files/), message: expect.any(String) }]);
			}),
			{ numRuns: 500 },
		);
	});

	it("cannot be in a folder named SUBMISSION.md, because a file of that name always exists", () => {
		for (const path of ["SUBMISSION.md/a", "submission.MD/a/b"])
			expect(refusal(() => artifacts.parseFiles({ [path]: "" }))?.code).toBe("INVALID_BODY");
		expect(refusal(() => artifacts.parseFiles({ "docs/SUBMISSION.md/a": "" }))).toBeNull();
	});
});

describe("sections of SUBMISSION.md", () => {
	it("are each reported if missing", () => {
		fc.assert(
			fc.property(fc.shuffledSubarray([...SUBMISSION_SECTIONS]), (present) => {
				const text = present.map((section) => `# ${section}`).join("\n\n");
				expect(artifacts.findMissingSections(text)).toEqual(SUBMISSION_SECTIONS.filter((section) => !present.includes(section)));
			}),
		);
	});
});

describe("a submission to a task", () => {
	it.each([
		["open", -1, null],
		["open", 0, "DEADLINE_PASSED"],
		["open", 1, "DEADLINE_PASSED"],
		["draft", -1, "TASK_NOT_OPEN"],
		["evaluating", 1, "TASK_NOT_OPEN"],
		["closed", -1, "TASK_NOT_OPEN"],
	] as const)("is accepted for %s, %d ms past its deadline: %s", (status, past, code) => {
		expect(refusal(() => rules.assertSubmittable({ status, hidden: false, deadline: 1000 }, 1000 + past))?.code ?? null).toBe(code);
	});

	it("is refused after the last slot", () => {
		fc.assert(
			fc.property(fc.nat(30), fc.integer({ min: 1, max: 25 }), (used, limit) => {
				expect(refusal(() => rules.assertQuotaLeft(used, limit))?.code ?? null).toBe(used < limit ? null : "QUOTA_EXHAUSTED");
			}),
		);
	});
});
