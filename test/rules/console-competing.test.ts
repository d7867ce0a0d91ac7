// Tests how the console shows a competitor's files, scores, searches, wallets and webhooks.
import { describe, expect, it } from "vitest";
import { compareFiles, findEarlierAttempt } from "../../console/src/rules/attempt-changes.ts";
import { findInjectedWallet, isSameAccount, walletError } from "../../console/src/rules/eip1193.ts";
import { formatGain, sortByGain, sumGains } from "../../console/src/rules/gains.ts";
import { isSubmissionMd, readAnswers, writeSubmissionText } from "../../console/src/rules/submission-text.ts";
import { chooseWay, sortFindings, sortPaths } from "../../console/src/rules/submitting.ts";
import { parseTags } from "../../console/src/rules/tags.ts";
import { describeAttempt, parseList, WEBHOOK_EVENTS } from "../../console/src/rules/webhook-events.ts";
import { parseWhole } from "../../console/src/rules/whole-number.ts";
import { findMissingSections } from "../../src/core/judging/artifacts/rules.ts";
import { WEBHOOK_EVENTS as PLATFORM_EVENTS } from "../../src/domain/events.ts";
import { SUBMISSION_SECTIONS } from "../../src/domain/submission-sections.ts";

const MB = 1_048_576;

describe("submitting", () => {
	it("sends small files in one request, large or many ones as a zip, and refuses too large ones", () => {
		expect(chooseWay([5 * MB])).toBe("request");
		expect(chooseWay([5 * MB, 1])).toBe("zip");
		expect(chooseWay(Array.from({ length: 2001 }, () => 1))).toBe("zip");
		expect(chooseWay([500 * MB])).toBe("zip");
		expect(chooseWay([500 * MB, 1])).toBe("too-large");
		expect(chooseWay(Array.from({ length: 5000 }, () => 1))).toBe("zip");
		expect(chooseWay(Array.from({ length: 5001 }, () => 1))).toBe("too-large");
	});

	it("leaves out what the command line leaves out", () => {
		const paths = ["main.js", ".env", ".env.example", "keys/a.pem", "node_modules/a/.env", ".venv/bin/x", "build/out.js", ".git/config"];
		const { sent, secrets } = sortPaths(paths);
		expect([...sent]).toEqual(["main.js", ".env.example", "build/out.js"]);
		expect(secrets).toEqual([".env", "keys/a.pem"]);
	});

	it("shows a check's findings with their file", () => {
		const check = {
			problems: [
				{ path: 'files["a \\"b\\".js"]', message: "bad path" },
				{ path: "files", message: "too much" },
			],
			warnings: [
				{ path: "src/c.js", message: "cut" },
				{ path: "SUBMISSION.md", message: "none" },
				{ path: 'files["broken', message: "odd" },
			],
		};
		const { ofFiles, general } = sortFindings(check, ['a "b".js', "src/c.js"]);
		expect([...ofFiles]).toEqual([
			['a "b".js', [{ level: "problem", message: "bad path" }]],
			["src/c.js", [{ level: "warning", message: "cut" }]],
		]);
		expect(general.map(({ level, message }) => `${level}: ${message}`)).toEqual(["problem: too much", "warning: none", "warning: odd"]);
	});
});

describe("the text of SUBMISSION.md", () => {
	it("has every section that the platform looks for, once it is filled in", () => {
		const all = Object.fromEntries(SUBMISSION_SECTIONS.map((section) => [section, `About ${section}`]));
		expect(findMissingSections(writeSubmissionText(all) ?? "")).toEqual([]);
	});

	it("leaves out sections without text, which the check then reports", () => {
		const text = writeSubmissionText({ "What I Built": " A parser.\n", Tradeoffs: " \n" });
		expect(text).toBe("## What I Built\n\nA parser.\n");
		expect(findMissingSections(text ?? "")).toEqual(SUBMISSION_SECTIONS.slice(1));
		expect(writeSubmissionText({ Tradeoffs: " " })).toBeNull();
	});

	it("is read from what the browser kept, and from nothing else", () => {
		expect(readAnswers('{"How To Run": "make", "Other": "x", "Tradeoffs": 1}')).toEqual({ "How To Run": "make" });
		for (const kept of ["", "null", "[", "1", '"x"', "[1]"]) expect(readAnswers(kept)).toEqual({});
	});

	it("is a file of that name at the root, in any case", () => {
		expect(["SUBMISSION.md", "submission.MD", "docs/SUBMISSION.md"].map(isSubmissionMd)).toEqual([true, true, false]);
	});
});

describe("the changes since the last attempt", () => {
	const scores = { final_score: 50 };

	it("are against the attempt before that has a score", () => {
		const attempts = [
			{ id: "05", scores },
			{ id: "01", scores },
			{ id: "03", scores: null },
			{ id: "02", scores },
		];
		expect(findEarlierAttempt(attempts, "04")).toEqual({ id: "02", scores });
		expect(findEarlierAttempt(attempts, "01")).toBeNull();
	});

	it("name the files that were added, removed and changed, also with the same size", () => {
		const file = (path: string, size_bytes: number, crc32: string) => ({ path, size_bytes, crc32 });
		const before = [file("a", 1, "00000001"), file("b", 1, "00000002"), file("c", 2, "00000003"), file("gone", 1, "00000004")];
		const after = [file("a", 1, "00000001"), file("b", 1, "0000000f"), file("c", 3, "00000003"), file("new", 1, "00000004")];
		expect(compareFiles(before, after)).toEqual({ added: ["new"], removed: ["gone"], changed: ["b", "c"] });
		expect(compareFiles(after, after)).toEqual({ added: [], removed: [], changed: [] });
	});
});

describe("gains", () => {
	const small = { score: 90, weight: 60, potential_points: 6 };
	const large = { score: 20, weight: 40, potential_points: 31.96 };
	const unknown = { score: 50, weight: 10, potential_points: null };

	it("come with the largest first, also if the platform does not send them", () => {
		expect(sortByGain([small, large])).toEqual([large, small]);
		expect(sortByGain([unknown, { ...unknown, weight: 90 }]).map(({ weight }) => weight)).toEqual([90, 10]);
	});

	it("are rounded to a hundredth, and summed only if all are known", () => {
		expect([small, large, unknown, { ...small, potential_points: 0.04 }].map(formatGain)).toEqual(["+6.00", "+31.96", null, "+0.04"]);
		expect(sumGains([small, large])).toBe(37.96);
		expect(sumGains([small, unknown])).toBe(null);
		expect(sumGains([])).toBe(null);
	});
});

describe("the wallet in the browser", () => {
	it("is found only if it can be called", () => {
		const wallet = { request: async () => [] };
		expect(findInjectedWallet({ ethereum: wallet })).toBe(wallet);
		expect([{}, { ethereum: null }, { ethereum: { request: "no" } }].map(findInjectedWallet)).toEqual([null, null, null]);
	});

	it("explains in plain words what went wrong", () => {
		expect(walletError({ code: 4001, message: "0x" }).message).toMatch(/^You declined/);
		expect(walletError({ code: -32_002 }).message).toMatch(/already waiting for you/);
		expect(walletError(new Error("out of gas")).message).toBe("out of gas");
		expect(walletError("?").message).toBe("The wallet returned an error.");
	});

	it("has the same account in any case", () => {
		expect(isSameAccount("0xAB", "0xab")).toBe(true);
		expect([isSameAccount("0xab", "0xac"), isSameAccount(null, null)]).toEqual([false, false]);
	});
});

describe("webhooks", () => {
	it("offer every event of the platform", () => {
		expect(WEBHOOK_EVENTS.map(({ id }) => id).toSorted()).toEqual([...PLATFORM_EVENTS].toSorted());
	});

	it("show the state of an attempt", () => {
		expect(describeAttempt({ response_code: 200, error: null, duration_ms: 1035 })).toBe("200 after 1,035 ms");
		expect(describeAttempt({ response_code: null, error: "timeout", duration_ms: 1 })).toBe("timeout after 1 ms");
	});

	it("accept lists with commas and spaces", () => {
		expect(parseList(" a, b\nb ")).toEqual(["a", "b"]);
		expect(parseList(" , ")).toBe(null);
	});
});

it("reads tags in lower case, each once, with their spaces", () => {
	expect(parseTags("Data Science, sql,, SQL ")).toEqual(["data science", "sql"]);
});

it("reads whole numbers within their range", () => {
	const range = { min: 1, max: 100_000 };
	expect([" 1,000 ", "100000", "0", "1.5", "1,00", ""].map((text) => parseWhole(text, range))).toEqual([
		1000,
		100_000,
		null,
		null,
		null,
		null,
	]);
});
