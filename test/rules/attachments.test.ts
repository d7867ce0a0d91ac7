import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cleanFilename, fileTypeOf } from "../../src/core/competition/attachments/rules.ts";
import { AppError } from "../../src/domain/errors.ts";
import { contentDisposition } from "../../src/http/stored-bytes.ts";

const text = (content: string) => new TextEncoder().encode(content);
const PNG = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0]);
const JPEG = new Uint8Array([0xff, 0xd8, 0xff, 0xe0, 0, 0]);
const WEBP = text("RIFF\x10\0\0\0WEBPVP8 ");
const PDF = text("%PDF-1.7\n");
const codeOf = (act: () => unknown): string | null => {
	try {
		act();
		return null;
	} catch (error) {
		return error instanceof AppError ? error.code : "crash";
	}
};

describe("the type of a file", () => {
	it.each([
		["a.csv", text("a,b\r\n1,2\n"), "text/csv"],
		["a.CSV", text("\ufeffä;ö"), "text/csv"],
		["a.json", text(' {"a": [1]} '), "application/json"],
		["a.json", text("null"), "application/json"],
		["a.png", PNG, "image/png"],
		["a.jpg", JPEG, "image/jpeg"],
		["a.b.JPEG", JPEG, "image/jpeg"],
		["a.webp", WEBP, "image/webp"],
		["a.pdf", PDF, "application/pdf"],
		["a.txt", text("<script>alert(1)</script>"), "text/plain"],
	])("of %s is read from name and content", (name, bytes, type) => {
		expect(fileTypeOf(name, bytes)).toBe(type);
	});

	it.each([
		["a.exe", text("MZ")],
		["a.html", text("<p>")],
		["a.svg", text("<svg/>")],
		["png", PNG],
		["a.", PNG],
		["a.__proto__", PNG],
		["a.constructor", PNG],
		["a.png", JPEG],
		["a.png", text("<script>")],
		["a.jpg", PNG],
		["a.webp", text("RIFF\x10\0\0\0WAVEfmt ")],
		["a.pdf", text("hello %PDF-")],
		["a.json", text("{a:1}")],
		["a.json", PNG],
		["a.csv", PDF],
		["a.csv", new Uint8Array([0xff, 0xfe, 0x61, 0])],
		["a.txt", new Uint8Array([0xc3, 0x28])],
		["a.txt", text("a\0b")],
		["a.png", new Uint8Array()],
	])("is refused for %s", (name, bytes) => {
		expect(codeOf(() => fileTypeOf(name, bytes))).toBe("UNSUPPORTED_FILE_TYPE");
	});
});

describe("the name of a file", () => {
	it.each([
		["report.csv", "report.csv"],
		["../../etc/passwd.txt", "passwd.txt"],
		["C:\\Users\\me\\report.pdf", "report.pdf"],

		["in\u200evoice.txt", "invoice.txt"],
		["  e\u0301.txt ", "é.txt"],
	])("is shortened from %j to %j", (sent, kept) => {
		expect(cleanFilename(sent)).toBe(kept);
	});

	it.each(["", " ", "a/", "\n", "a\r\nSet-Cookie: x.txt", "invoice\u202Efdp.txt", "x".repeat(256)])("is refused if it is %j", (sent) => {
		expect(codeOf(() => cleanFilename(sent))).toBe("VALIDATION_ERROR");
	});

	it("makes a header of one line that preserves any name", () => {
		fc.assert(
			fc.property(fc.string({ unit: "binary", minLength: 1, maxLength: 40 }), (sent) => {
				if (codeOf(() => cleanFilename(sent)) !== null) return;
				const name = cleanFilename(sent);
				const header = contentDisposition(name);
				expect(header).toMatch(/^attachment; filename="[\x20-\x21\x23-\x5b\x5d-\x7e]*"(; filename\*=UTF-8''[\w!#$&+.^`|~%-]+)?$/);
				const [, plain, exact] = /filename="([^"]*)"(?:; filename\*=UTF-8''(.+))?$/.exec(header) ?? [];
				expect(exact === undefined ? plain : decodeURIComponent(exact)).toBe(name);
			}),
		);
	});
});
