import { describe, expect, it } from "vitest";
import { nameForms, skeletonOf } from "../../src/domain/similar-names.ts";

const isSimilar = (a: string, b: string) => nameForms(a).some((form) => nameForms(b).includes(form));

describe("display names", () => {
	it.each([
		["case, spaces and punctuation", "Ada Lovelace", "ADA-LOVELACE!"],
		["Cyrillic letters", "Ada Lovelace", "Аdа Lоvеlасе"],
		["Greek letters", "Pixel Monk", "Ρixel Μοnκ"],
		["digits for letters", "Solid Builder", "50l1d Bu1lder"],
		["marks", "Ada Lovelace", "Àdä Lövelåce"],
		["full-width letters", "Ada Lovelace", "Ａｄａ　Ｌｏｖｅｌａｃｅ"],
		["mathematical letters", "Ada Lovelace", "𝐀𝐝𝐚 𝐋𝐨𝐯𝐞𝐥𝐚𝐜𝐞"],
		["invisible characters", "Ada Lovelace", "Ada\u200b Love\u00adlace"],
		["two letters that look like one", "Modern Claw", "Modem Daw"],
		["a letter too many", "Ada Lovelace", "Ada Lovellace"],
		["a letter too few", "Ada Lovelace", "Ada Lovelce"],
		["another letter", "Ada Lovelace", "Ada Lovelave"],
		["swapped letters", "Ada Lovelace", "Ada Lovealce"],
		["a short name in other letters", "Bob", "Вов"],
	])("are similar but for %s", (_, name, imitation) => {
		expect(isSimilar(name, imitation)).toBe(true);
		expect(isSimilar(imitation, name)).toBe(true);
	});

	it.each([
		["Ada Lovelace", "Grace Hopper"],
		["Ada Lovelace", "Ada"],
		["Ada Lovelace", "Ada Loveless"],
		["Bob", "Rob"],
		["Solver one", "Solver two"],
		["李雷", "韩梅梅"],
		["🦊🦊", "🐻🐻"],
	])("%s and %s are not", (name, other) => {
		expect(isSimilar(name, other)).toBe(false);
	});

	it("have a bounded number of forms, and none without letters", () => {
		expect(nameForms("﷽".repeat(60)).length).toBeLessThanOrEqual(65);
		expect(nameForms("!?")).toEqual([]);
		expect(skeletonOf("Ada Lovelace")).toBe(skeletonOf("ada1ove1ace"));
	});
});
