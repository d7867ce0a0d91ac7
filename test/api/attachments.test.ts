import { exports } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { admin } from "../support/admin.ts";
import { createApp } from "../support/app.ts";
import { watchBucket } from "../support/buckets.ts";
import { createClient } from "../support/client.ts";
import { testDeps } from "../support/deps.ts";
import { listObjectsOf } from "../support/house.ts";
import { createDraft, openTask, type RegisteredClient, registerAgent } from "../support/scenario.ts";
import { collectAll } from "../support/stored-objects.ts";
import { HOUR_MS } from "../support/times.ts";
import { breakingOff, countedStream } from "../support/uploads.ts";

let poster: RegisteredClient;
let stranger: RegisteredClient;

beforeAll(async () => {
	[poster, stranger] = await Promise.all([registerAgent("Poster"), registerAgent("Stranger")]);
});

interface FormInput {
	readonly name?: string;
	readonly content?: string;
	readonly field?: string | null;
	readonly description?: string;
}

function form({ name = "data.csv", content = "a,b\n1,2\n", field = "input_spec", description }: FormInput = {}): FormData {
	const data = new FormData();
	if (field !== null) data.set("field", field);
	if (description !== undefined) data.set("description", description);
	data.set("file", new File([content], name));
	return data;
}

const upload = (id: string, input?: FormInput) => ({ params: { id }, rawBody: form(input) });
const objectsOf = (taskId: string) => listObjectsOf(taskId, "attachments");
const rowsOf = async (taskId: string) => (await poster.call("listAttachments", { params: { id: taskId } })).length;
const follow = (url: string, init?: RequestInit) => exports.default.fetch(new Request(url, init));

/** Returns the poster's client of an application that runs in this process. */
function inProcess(deps = testDeps()) {
	const app = createApp(() => deps);
	return createClient({ key: poster.key, fetch: (request) => app.fetch(request) });
}

describe("attaching a file", () => {
	it("stores it and returns a URL that needs no key", async () => {
		const { id } = await createDraft(poster);
		const attachment = await poster.call("addAttachment", upload(id, { name: "Größe „1“.csv", description: "Sample rows" }));
		expect(attachment).toMatchObject({
			field: "input_spec",
			filename: "Größe „1“.csv",
			file_size: 8,
			content_type: "text/csv",
			description: "Sample rows",
		});
		const download = await follow(attachment.download_url);
		expect(download.status).toBe(200);
		expect(await download.text()).toBe("a,b\n1,2\n");
		expect(Object.fromEntries(download.headers)).toMatchObject({
			"content-type": "text/csv; charset=utf-8",
			"content-disposition": `attachment; filename="Gr__e _1_.csv"; filename*=UTF-8''Gr%C3%B6%C3%9Fe%20%E2%80%9E1%E2%80%9C.csv`,
			"x-content-type-options": "nosniff",
			"content-security-policy": "sandbox; default-src 'none'",
			"content-length": "8",
		});
	});

	it("accepts fields in any order, and any status of the task", async () => {
		const id = await openTask(poster);
		await poster.call("closeTask", { params: { id } });
		const data = new FormData();
		data.set("file", new File(["{}"], "x.json"));
		data.set("field", "output_spec");
		expect(await poster.call("addAttachment", { params: { id }, rawBody: data })).toMatchObject({
			field: "output_spec",
			description: null,
		});
	});

	it("names a file as its sender sees it, on Windows and in browsers too", async () => {
		const { id } = await createDraft(poster);
		const headers = { "Content-Type": "multipart/form-data; boundary=x" };
		const sendNamed = (disposition: string) => {
			const field = '--x\r\nContent-Disposition: form-data; name="field"\r\n\r\ndescription';
			const file = `--x\r\nContent-Disposition: form-data; name="file"; ${disposition}\r\n\r\na,b`;
			return { params: { id }, headers, rawBody: `${field}\r\n${file}\r\n--x--` };
		};
		for (const [disposition, filename] of [
			['filename="C:\\Users\\me\\data.csv"', "data.csv"],
			['filename="..\\up\\x.csv"', "x.csv"],
			['filename="C:\\\\Users\\\\me\\\\new.csv"', "new.csv"],
			['filename="../a%22b.csv"', 'a"b.csv'],
			['filename="a\\"c.csv"', 'a"c.csv'],
		] as const) {
			const attachment = await poster.call("addAttachment", sendNamed(disposition));
			expect({ disposition, filename: attachment.filename }).toEqual({ disposition, filename });
			const { headers: served } = await follow(attachment.download_url);
			expect(served.get("Content-Disposition")).toMatch(/^attachment; filename="[\w.]+"/);
		}
		await poster.refused("addAttachment", "VALIDATION_ERROR", sendNamed('filename="a%0D%0Ab.csv"'));
	});

	it("accepts 10 MB and no byte more", async () => {
		const { id } = await createDraft(poster);
		const most = "x".repeat(10 * 1_048_576);
		expect((await poster.call("addAttachment", upload(id, { name: "a.txt", content: most }))).file_size).toBe(10 * 1_048_576);
		await poster.refused("addAttachment", "FILE_TOO_LARGE", upload(id, { name: "a.txt", content: `${most}x` }));
		await poster.refused("addAttachment", "FILE_TOO_LARGE", upload(id, { name: "a.txt", content: most + most }));
		expect([await rowsOf(id), (await objectsOf(id)).length]).toEqual([1, 1]);
	});

	it("refuses files by their name and by their content", async () => {
		const { id } = await createDraft(poster);
		await poster.refused("addAttachment", "UNSUPPORTED_FILE_TYPE", upload(id, { name: "tool.exe" }));
		const sheet = await poster.refused("addAttachment", "UNSUPPORTED_FILE_TYPE", upload(id, { name: "Rows.XLSX" }));
		expect(sheet.message).toMatch(/^Attachments must be \.csv, .* and \.txt files\. .* save each sheet as CSV/);
		await poster.refused("addAttachment", "UNSUPPORTED_FILE_TYPE", upload(id, { name: "page.html", content: "<script>" }));
		await poster.refused("addAttachment", "UNSUPPORTED_FILE_TYPE", upload(id, { name: "image.png", content: "<script>" }));
		expect(await objectsOf(id)).toEqual([]);
	});

	it("judges a file without a name by its Content-Type, and then checks that its content fits", async () => {
		const { id } = await createDraft(poster);
		const blob = (type: string, content = "a,b\n1,2\n") => {
			const data = form({ content });
			data.set("file", new Blob([content], { type }), "blob");
			return { params: { id }, rawBody: data };
		};
		expect(await poster.call("addAttachment", blob("text/csv"))).toMatchObject({ filename: "file.csv", content_type: "text/csv" });
		expect(await poster.call("addAttachment", blob("text/plain;charset=utf-8"))).toMatchObject({ filename: "file.txt" });
		expect(await poster.call("addAttachment", blob("application/json", "{}"))).toMatchObject({ filename: "file.json" });
		await poster.refused("addAttachment", "UNSUPPORTED_FILE_TYPE", blob("text/html"));
		await poster.refused("addAttachment", "UNSUPPORTED_FILE_TYPE", blob(""));
		await poster.refused("addAttachment", "UNSUPPORTED_FILE_TYPE", blob("application/pdf"));
		await poster.refused("addAttachment", "UNSUPPORTED_FILE_TYPE", upload(id, { name: "blob.exe" }));

		const headers = { "Content-Type": "multipart/form-data; boundary=x" };
		const field = '--x\r\nContent-Disposition: form-data; name="field"\r\n\r\ndescription';
		const file = '--x\r\nContent-Disposition: form-data; name="file"\r\nContent-Type: text/csv\r\n\r\na,b';
		const nameless = { params: { id }, headers, rawBody: `${field}\r\n${file}\r\n--x--` };
		expect(await poster.call("addAttachment", nameless)).toMatchObject({ filename: "file.csv", file_size: 3, field: "description" });
		expect(await rowsOf(id)).toBe(4);
	});

	it("refuses a form that lacks a field, and a body that is not a form", async () => {
		const { id } = await createDraft(poster);
		const noFile = new FormData();
		noFile.set("field", "description");
		await poster.refused("addAttachment", "VALIDATION_ERROR", { params: { id }, rawBody: noFile });
		await poster.refused("addAttachment", "VALIDATION_ERROR", upload(id, { field: null }));
		await poster.refused("addAttachment", "VALIDATION_ERROR", upload(id, { field: "title" }));
		await poster.refused("addAttachment", "VALIDATION_ERROR", upload(id, { content: "" }));
		await poster.refused("addAttachment", "VALIDATION_ERROR", upload(id, { description: "x".repeat(1001) }));
		await poster.refused("addAttachment", "VALIDATION_ERROR", { params: { id }, body: { field: "description" } });
		const twoFiles = form();
		twoFiles.append("file", new File(["a"], "b.txt"));
		await poster.refused("addAttachment", "VALIDATION_ERROR", { params: { id }, rawBody: twoFiles });
		const headers = { "Content-Type": "multipart/form-data; boundary=x" };
		await poster.refused("addAttachment", "VALIDATION_ERROR", { params: { id }, headers, rawBody: "--x\r\nnonsense" });
	});

	it("stores nothing when the upload breaks off", async () => {
		const { id } = await createDraft(poster);
		const start = new TextEncoder().encode('--x\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nhalf of i');
		const { stream } = countedStream(breakingOff([start]));
		const headers = { "Content-Type": "multipart/form-data; boundary=x" };
		await inProcess().refused("addAttachment", "BAD_REQUEST", { params: { id }, headers, rawBody: stream });
		expect([await rowsOf(id), await objectsOf(id)]).toEqual([0, []]);
	});

	it("refuses the eleventh file, also when uploads race, and leaves no object behind", async () => {
		const { id } = await createDraft(poster);
		const answers = await Promise.all(Array.from({ length: 16 }, () => poster.send("addAttachment", upload(id))));
		expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array(10).fill(201), ...Array(6).fill(409)]);
		await poster.refused("addAttachment", "ATTACHMENT_LIMIT", upload(id));
		expect(await rowsOf(id)).toBe(10);
		await expect.poll(() => objectsOf(id)).toHaveLength(10);
		const [first] = await poster.call("listAttachments", { params: { id } });
		await poster.call("deleteAttachment", { params: { id, attachmentId: first?.id ?? "" } });
		await poster.call("addAttachment", upload(id));
	});
});

describe("reading attachments", () => {
	it("is open to everyone once the task is published, and to the owner before", async () => {
		const draft = (await createDraft(poster)).id;
		const open = await openTask(poster);
		for (const id of [draft, open]) {
			await poster.call("addAttachment", upload(id));
			await poster.call("addAttachment", upload(id, { name: "b.txt", field: "description" }));
		}
		await stranger.refused("listAttachments", "NOT_FOUND", { params: { id: draft } });
		await stranger.refused("listAttachments", "NOT_FOUND", { params: { id: crypto.randomUUID() } });
		expect((await poster.call("listAttachments", { params: { id: draft } })).map(({ filename }) => filename)).toEqual([
			"data.csv",
			"b.txt",
		]);
		const seen = await stranger.call("listAttachments", { params: { id: open } });
		expect(seen).toHaveLength(2);
		expect((await follow(seen[0]?.download_url ?? "")).status).toBe(200);
	});

	it("ends for a removed member, and works again when the agent rejoins", async () => {
		const id = await openTask(poster, { access: "invited" });
		await poster.call("addAttachment", upload(id));
		const { invite_code = "" } = await poster.call("getTask", { params: { id } });
		const [member, other] = [await registerAgent("Member"), await registerAgent("Other")];
		const urls = await Promise.all(
			[member, other, poster].map(async (agent) => {
				if (agent !== poster) await agent.call("joinTask", { params: { id }, body: { invite_code } });
				return (await agent.call("listAttachments", { params: { id } }))[0]?.download_url ?? "";
			}),
		);
		const statuses = () => Promise.all(urls.map(async (url) => (await follow(url)).status));
		expect(await statuses()).toEqual([200, 200, 200]);
		await poster.call("removeCompetitor", { params: { id, agentId: member.agentId } });
		expect(await statuses()).toEqual([404, 200, 200]);
		await member.call("joinTask", { params: { id }, body: { invite_code } });
		expect(await statuses()).toEqual([200, 200, 200]);
	});

	it("ends for everyone but the owner and those who have submitted when an operator takes the task down", async () => {
		const id = await openTask(poster);
		await poster.call("addAttachment", upload(id));
		const competitor = await registerAgent("Competitor");
		await competitor.call("createSubmission", { params: { id } });
		const lists = [poster, competitor, stranger].map(
			async (agent) => (await agent.call("listAttachments", { params: { id } }))[0]?.download_url,
		);
		const page = await createClient().send("getTaskPage", { params: { id } });
		const [, onPage = ""] = /href="([^"]*\/content\?[^"]*)"/.exec(await page.text()) ?? [];
		const urls = [...(await Promise.all(lists)), onPage.replaceAll("&amp;", "&")].map((url) => url ?? "");
		const statuses = () => Promise.all(urls.map(async (url) => (await follow(url)).status));
		expect(await statuses()).toEqual([200, 200, 200, 200]);
		await admin.call("takeDownTask", { params: { id }, body: { reason: "A test." } });
		expect(await statuses()).toEqual([200, 200, 404, 404]);
	});

	it("needs a valid signature for this file that has not expired", async () => {
		const before = Date.now();
		const id = await openTask(poster);
		const [one, other] = [await poster.call("addAttachment", upload(id)), await poster.call("addAttachment", upload(id))];
		const params = { id, attachmentId: one.id };
		const signed = Object.fromEntries(new URL(one.download_url).searchParams);
		const client = createClient();
		await client.refused("downloadAttachment", "UNAUTHORIZED", { params });
		await client.refused("downloadAttachment", "UNAUTHORIZED", { params: { id, attachmentId: other.id }, query: signed });
		await client.refused("downloadAttachment", "UNAUTHORIZED", { params, query: { ...signed, expires: Number(signed["expires"]) + 1 } });
		await client.refused("downloadAttachment", "UNAUTHORIZED", { params, query: { ...signed, signature: "00" } });
		await client.refused("downloadAttachment", "INVALID_UUID", { params: { id, attachmentId: "x" }, query: signed });
		expect(Number(signed["expires"])).toBeGreaterThanOrEqual(before + HOUR_MS);
		expect(Number(signed["expires"])).toBeLessThanOrEqual(Date.now() + HOUR_MS);
	});

	it("counts against no limit", async () => {
		const id = await openTask(poster);
		const { download_url } = await poster.call("addAttachment", upload(id));
		const headers = { "CF-Connecting-IP": "198.18.99.9" };
		const answers = await Promise.all(Array.from({ length: 70 }, () => follow(download_url, { headers })));
		expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
		await Promise.all(answers.map((answer) => answer.body?.cancel()));
	});
});

describe("deleting an attachment", () => {
	it("removes its row, object and URL", async () => {
		const id = await openTask(poster);
		const attachment = await poster.call("addAttachment", upload(id));
		const params = { id, attachmentId: attachment.id };
		await stranger.refused("deleteAttachment", "FORBIDDEN", { params });
		await poster.refused("deleteAttachment", "NOT_FOUND", { params: { id, attachmentId: crypto.randomUUID() } });
		await poster.refused("deleteAttachment", "NOT_FOUND", { params: { id: await openTask(poster), attachmentId: attachment.id } });
		expect(await poster.call("deleteAttachment", { params })).toEqual({ id: attachment.id, deleted: true });
		expect(await rowsOf(id)).toBe(0);
		await expect.poll(() => objectsOf(id)).toEqual([]);
		const query = Object.fromEntries(new URL(attachment.download_url).searchParams);
		await createClient().refused("downloadAttachment", "NOT_FOUND", { params, query });
		await poster.refused("deleteAttachment", "NOT_FOUND", { params });
	});

	it("takes effect at once, even if the object waits for the collector", async () => {
		const id = await openTask(poster);
		const attachment = await poster.call("addAttachment", upload(id));
		const deps = testDeps();
		const { bucket } = watchBucket({
			before(call) {
				if (call === "delete") throw new Error("storage is not well");
			},
		});
		const params = { id, attachmentId: attachment.id };
		const failed: unknown[] = [];
		const background = (work: Promise<unknown>) => deps.background(work.catch((error: unknown) => failed.push(String(error))));
		expect(await inProcess({ ...deps, bucket, background }).call("deleteAttachment", { params })).toMatchObject({ deleted: true });
		await deps.settled();
		expect(failed).toEqual(["Error: storage is not well"]);
		expect([await rowsOf(id), (await objectsOf(id)).length]).toEqual([0, 1]);
		const query = Object.fromEntries(new URL(attachment.download_url).searchParams);
		await createClient().refused("downloadAttachment", "NOT_FOUND", { params, query });
		await collectAll();
		expect(await objectsOf(id)).toEqual([]);
	});

	it("happens once for parallel requests", async () => {
		const id = await openTask(poster);
		const { id: attachmentId } = await poster.call("addAttachment", upload(id));
		const answers = await Promise.all(Array.from({ length: 6 }, () => poster.send("deleteAttachment", { params: { id, attachmentId } })));
		expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 404, 404, 404, 404, 404]);
	});
});
