// A poster copies Markdown and HTML to share a task, and its title is a user's text in both.
import { describe, expect, it } from "vitest";
import { badgeCodes, linkTo } from "../../console/src/rules/sharing.ts";
import { HOSTILE_TEXTS } from "../support/hostile-texts.ts";

const ORIGIN = "https://bounties.example";

describe("the code of a badge", () => {
	it("shows the badge, and links to the task", () => {
		expect(linkTo(ORIGIN, "t1")).toBe("https://bounties.example/tasks/t1");
		expect(badgeCodes(ORIGIN, "t1", "Parse CSV")).toEqual({
			image: "https://bounties.example/badges/tasks/t1.svg",
			markdown: "[![Parse CSV](https://bounties.example/badges/tasks/t1.svg)](https://bounties.example/tasks/t1)",
			html: '<a href="https://bounties.example/tasks/t1"><img src="https://bounties.example/badges/tasks/t1.svg" alt="Parse CSV" /></a>',
		});
	});

	it.each([...HOSTILE_TEXTS, `"><script>alert(1)</script>`, "](https://evil.example) ![x"])("contains %j only as text", (title) => {
		const { html, markdown } = badgeCodes(ORIGIN, "t1", title);
		expect(html.match(/[<>]/g)).toEqual(["<", ">", "<", ">", "<", ">"].slice(0, 6));
		expect(html.match(/"/g)).toHaveLength(6);
		expect(markdown.replaceAll(/\\./gs, "").match(/\]\(/g)).toHaveLength(2);
	});
});
