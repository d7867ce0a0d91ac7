import { DurableObject } from "cloudflare:workers";
import { AgentWorkspace } from "../src/features/identity/workspace/agent-workspace.ts";
import { MINUTE_MS, systemClock } from "../src/platform/clock.ts";
import { consoleLog, describeError } from "../src/platform/log.ts";
import type * as port from "../src/ports/workspace.ts";

/** One per agent: the key-value entries, the index of the files and the quotas. */
export class Workspace extends DurableObject<Env> implements port.WorkspacePort {
	#workspace = new AgentWorkspace({ storage: this.ctx.storage, clock: systemClock });

	getEntry(key: string) {
		return this.#workspace.getEntry(key);
	}
	putEntry(input: port.PutEntry) {
		return this.#workspace.putEntry(input);
	}
	deleteEntry(input: port.DeleteEntry) {
		return this.#workspace.deleteEntry(input);
	}
	async erase(): Promise<void> {
		await this.ctx.storage.deleteAlarm();
		await this.ctx.storage.deleteAll();
		this.#workspace = new AgentWorkspace({ storage: this.ctx.storage, clock: systemClock });
	}
	listEntries(query: port.ListQuery) {
		return this.#workspace.listEntries(query);
	}
	readUsage() {
		return this.#workspace.readUsage();
	}

	findFile(path: string) {
		return this.#workspace.findFile(path);
	}
	listFiles(query: port.ListQuery) {
		return this.#workspace.listFiles(query);
	}
	deleteFile(path: string) {
		return this.#workspace.deleteFile(path);
	}
	reserveBlob(input: port.ReserveBlob) {
		return this.#workspace.reserveBlob(input);
	}
	commitFile(input: port.CommitFile) {
		return this.#workspace.commitFile(input);
	}
	noteMultipart(blobKey: string, multipartId: string) {
		return this.#workspace.noteMultipart(blobKey, multipartId);
	}
	abandonBlob(blobKey: string) {
		return this.#workspace.abandonBlob(blobKey);
	}

	openUpload(input: port.OpenUpload) {
		return this.#workspace.openUpload(input);
	}
	reserveUploadBlob(input: port.UploadBlob & { readonly sizeBytes: number }) {
		return this.#workspace.reserveUploadBlob(input);
	}
	completeUpload(input: port.UploadBlob & { readonly sizeBytes: number }) {
		return this.#workspace.completeUpload(input);
	}
	finalizeUpload(input: port.FinalizeUpload) {
		return this.#workspace.finalizeUpload(input);
	}

	override async alarm(): Promise<void> {
		try {
			await this.#workspace.collectGarbage(this.env.BUCKET);
		} catch (error) {
			consoleLog.error("workspace_alarm_failed", describeError(error));
			// The runtime retries an alarm that throws only six times.
			await this.ctx.storage.setAlarm(systemClock.now() + MINUTE_MS);
		}
	}
}
