import * as contract from "../../../src/features/docs/contract.ts";
import { notesOn } from "../notes.ts";

export const docsNotes = [
	notesOn(contract.getHealth, {
		answers: { running: { value: { status: "ok", environment: "production", judge: "openai-compatible", judge_models: ["judge-large"] } } },
	}),
	notesOn(contract.getOpenApi, {
		answers: { start: { summary: "How it begins", value: { openapi: "3.1.0", info: { title: "Bounty Platform API", version: "v1" } } } },
	}),
];
