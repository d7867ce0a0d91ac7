import { AT, EXAMPLE_ORIGIN, ID } from "../../../src/domain/example-story.ts";
import * as contract from "../../../src/features/identity/workspace/contract.ts";
import { notesOn } from "./operation-notes.ts";

const entry = { key: "runs/last", size_bytes: 29, created_at: AT.adaRegistered, updated_at: AT.stored };
const value = { task: "ledger", attempts: 3 };
const entryParams = { key: "runs/last" };
const file = {
	path: "models/banks.onnx",
	size_bytes: 3_480_112,
	content_type: "application/octet-stream",
	created_at: AT.stored,
	updated_at: AT.stored,
};
const fileParams = { path: file.path };
const finalizeUrl = `${EXAMPLE_ORIGIN}/api/v1/workspace/files/finalize`;
const page = "guides/workspace";
const SLASHES = "A `/` in the key or path may be sent as it is or as `%2F`.";

export const workspaceNotes = [
	notesOn(contract.getEntry, {
		details: [SLASHES],
		page,
		params: entryParams,
		headers: { "if-none-match": '"7"' },
		responses: { entry: { value: { ...entry, value } } },
	}),
	notesOn(contract.putEntry, {
		details: [SLASHES],
		page,
		params: entryParams,
		headers: { "if-match": '"7"', "if-none-match": "*" },
		bodies: {
			object: { summary: "An object", value: { value } },
			plain: { summary: "Any JSON will do", value: { value: 42 } },
		},
		responses: { stored: { value: { ...entry, value } } },
	}),
	notesOn(contract.deleteEntry, {
		details: [SLASHES],
		page,
		params: entryParams,
		headers: { "if-match": '"7"', "if-none-match": "*" },
		responses: { deleted: { value: { deleted: true } }, absent: { summary: "There was none", value: { deleted: false } } },
	}),
	notesOn(contract.listEntries, {
		page,
		query: { prefix: "runs/", limit: "50" },
		responses: { page: { value: { data: [entry], has_more: false, next_cursor: null } } },
	}),
	notesOn(contract.getEntryQuota, {
		page,
		responses: { quota: { value: { keys_used: 1, keys_limit: 10_000, bytes_used: 29, bytes_limit: 10_485_760 } } },
	}),
	notesOn(contract.getFileQuota, {
		page,
		responses: {
			quota: {
				value: {
					files_used: 1,
					files_limit: 1000,
					bytes_used: file.size_bytes,
					bytes_limit: 104_857_600,
					per_file_byte_limit: 26_214_400,
				},
			},
		},
	}),
	notesOn(contract.storeFile, {
		page,
		headers: { "x-workspace-path": "notes/today.txt", "x-workspace-content-type": "text/plain" },
		bodies: {
			text: { value: { path: "notes/today.txt", content_base64: "VHJ5IHRoZSBzb3V0aCBmb3JtYXQgbmV4dC4=", content_type: "text/plain" } },
		},
		responses: {
			created: { summary: "A new file", value: { ...file, path: "notes/today.txt", size_bytes: 26, content_type: "text/plain" } },
			replaced: {
				summary: "In place of an earlier one",
				status: 200,
				value: { ...file, path: "notes/today.txt", size_bytes: 26, content_type: "text/plain" },
			},
		},
	}),
	notesOn(contract.createUploadUrl, {
		page,
		bodies: { model: { value: { path: file.path, expected_size_bytes: file.size_bytes, content_type: file.content_type } } },
		responses: {
			address: {
				value: {
					upload_url: `${EXAMPLE_ORIGIN}/api/v1/workspace/uploads/${ID.ada}/${ID.upload}?expires=1796211000000&signature=6b86b273ff34fce19d6b804eff5a3f57`,
					upload_method: "PUT",
					path: file.path,
					storage_ref: ID.upload,
					expires_at: "2026-12-02T11:30:00.000Z",
					finalize_url: finalizeUrl,
					finalize_method: "POST",
				},
			},
		},
	}),
	notesOn(contract.putUpload, {
		page,
		params: { agentId: ID.ada, uploadId: ID.upload },
		responses: { arrived: { value: { size_bytes: file.size_bytes, finalize_url: finalizeUrl, finalize_method: "POST" } } },
	}),
	notesOn(contract.finalizeUpload, {
		page,
		bodies: { upload: { value: { path: file.path, storage_ref: ID.upload } } },
		responses: {
			created: { summary: "A new file", value: file },
			replaced: { summary: "In place of an earlier one", status: 200, value: file },
		},
	}),
	notesOn(contract.listFiles, {
		page,
		query: { prefix: "models/", limit: "50" },
		responses: { page: { value: { data: [file], has_more: false, next_cursor: null } } },
	}),
	notesOn(contract.readFile, {
		hasAnyMediaType: true,
		responseHeaders: { "Content-Range": "For a range: which bytes, and the file's size.", "Content-Disposition": "The file's name." },
		details: [SLASHES],
		page,
		params: fileParams,
		query: { metadata: "1" },
		headers: {
			"x-workspace-metadata-only": "1",
			"if-none-match": '"01a23616e5c071fe868e72581ec4421f"',
			range: "bytes=0-1023",
			"if-range": '"01a23616e5c071fe868e72581ec4421f"',
		},
		responses: { metadata: { summary: "With metadata=1", value: file } },
	}),
	notesOn(contract.deleteFile, {
		details: [SLASHES],
		page,
		params: fileParams,
		responses: { deleted: { value: { deleted: true } }, absent: { summary: "There was none", value: { deleted: false } } },
	}),
];
