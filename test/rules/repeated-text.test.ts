// A judge's reply is compared with files that its reader must not see.
import { describe, expect, it } from "vitest";
import { repeatsExamples, repeatsFiles } from "../../src/features/judging/repeated-text.ts";
import type { JudgeRequest } from "../../src/ports/judge.ts";
import { judgeRequest } from "../support/judging.ts";

const SECRET = "const unlock = (door) => door.key === 'heron';";
const fileOf = (text: string) => ({ path: "a.js", text, isClaim: false });
const reply = (reasoning: string, gaps: readonly string[] = []) => ({ reasoning, gaps });

/** Returns the request for a work without files, by a task with this description and an example of this text. */
function requestOf(description: string, example: string): JudgeRequest {
	const { task } = judgeRequest();
	return judgeRequest({ task: { ...task, description }, files: [], examples: [{ files: [fileOf(example)], expected: {} }] });
}

describe("a reply", () => {
	it("repeats a file also with other white space and in parts", () => {
		const files = [fileOf(`// A door.\n${SECRET}\n`)];
		expect(repeatsFiles(reply(`It has ${SECRET.replaceAll(" ", "\n")}`), files)).toBe(true);
		expect(repeatsFiles(reply(SECRET.slice(0, 20), [SECRET.slice(20)]), files)).toBe(true);
		expect(repeatsFiles(reply("The door opens for one key only."), files)).toBe(false);
	});

	it("is compared with a letter that both repeat at a limited number of places, which would take minutes otherwise", () => {
		const [letters, example] = ["a".repeat(20_000), "a".repeat(400_000)];
		expect(repeatsExamples(reply(letters), requestOf(letters, example))).toBe(false);
		expect(repeatsExamples(reply(`${letters} ${SECRET}`), requestOf(letters, `${example}\n${SECRET}`))).toBe(true);
	});
});
