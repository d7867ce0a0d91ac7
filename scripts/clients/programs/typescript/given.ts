// The programs of all TypeScript generators read their input here, and print what happened.
import { readFileSync } from "node:fs";

interface Given {
	readonly texts: Readonly<Record<string, string>>;
	readonly base64: Readonly<Record<string, string>>;
}

export const given: Given = JSON.parse(readFileSync(process.env["FILES"] ?? "", "utf8"));
export const URL: string = process.env["BASE_URL"] ?? "";
export const TASK_ID: string = process.env["TASK_ID"] ?? "";
export const SECOND_MS = 1_000;

export function print(result: object): void {
	console.log(JSON.stringify(result));
}
