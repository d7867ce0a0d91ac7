// Tests which files can be attached to a task, and how others become such files.
import { describe, expect, it } from "vitest";
import { FILE_TYPES } from "../../src/core/competition/attachments/rules.ts";
import {
	ATTACHMENT_EXTENSIONS,
	canBeAttached,
	describeConversion,
	describeReadableForm,
	extensionOf,
} from "../../src/domain/attachment-types.ts";

describe("an attachment", () => {
	it("has one of the types whose content is checked", () => {
		expect(Object.keys(FILE_TYPES)).toEqual([...ATTACHMENT_EXTENSIONS]);
	});

	it.each([
		["rows.csv", true],
		["Photo.JPEG", true],
		["rows.csv.xlsx", false],
		["csv", false],
		["", false],
		["constructor", false],
		["a.constructor", false],
	])("%j can be attached: %j", (name, expected) => {
		expect(canBeAttached(name)).toBe(expected);
	});

	it.each([
		["Rows.XLSX", "CSV"],
		["brief.docx", "Export it as PDF"],
		["notes.md", "add .txt"],
		["starter.zip", "Unpack it"],
		["logo.svg", "as PNG"],
		["tool.exe", "one of these types"],
		["toString", "one of these types"],
	])("is made of %j like this: %s", (name, advice) => {
		expect(describeConversion(name)).toContain(advice);
	});

	it("has the extension after its last dot", () => {
		expect(["a.tar.GZ", "a/b.c/d", ".env", "x."].map(extensionOf)).toEqual(["gz", "", "env", ""]);
	});

	it.each([
		["data/Rows.xlsx", "CSV"],
		["report.pdf", "Markdown"],
		["report.docx", "Markdown"],
		["photo.png", null],
		["rows.tsv", null],
	])("of a work, %j, is readable as %j", (path, form) => {
		const told = describeReadableForm(path);
		if (form === null) expect(told).toBeNull();
		else expect(told).toContain(form);
	});
});
