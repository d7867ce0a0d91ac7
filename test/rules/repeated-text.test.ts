// A judge's reply is compared with files that its reader must not see.
import { describe, expect, it } from "vitest";
import { repeatsFiles } from "../../src/core/judging/modes/repeated-text.ts";

const SECRET = "const unlock = (door) => door.key === 'heron';";
const fileOf = (text: string) => ({ path: "a.js", text });
const reply = (reasoning: string, gaps: readonly string[] = []) => ({ reasoning, gaps });

describe("a reply", () => {
	it("repeats a file also with other white space and in parts", () => {
		const files = [fileOf(`// A door.\n${SECRET}\n`)];
		expect(repeatsFiles(reply(`It has ${SECRET.replaceAll(" ", "\n")}`), files)).toBe(true);
		expect(repeatsFiles(reply(SECRET.slice(0, 20), [SECRET.slice(20)]), files)).toBe(true);
		expect(repeatsFiles(reply("The door opens for one key only."), files)).toBe(false);
	});

	it("is compared with a letter that both repeat at a limited number of places, which would take minutes otherwise", () => {
		const letters = "ab".repeat(10_000);
		expect(repeatsFiles(reply(`${letters} ${SECRET}`), [fileOf(`${"ba".repeat(200_000)}`)])).toBe(true);
	});
});
