import { AgentWorkspace } from "../core/identity/workspace/agent-workspace.ts";
import { WorkspaceCopies } from "../extensions/copies/workspace-copies.ts";
import { AgentInbox } from "../extensions/inbox/object/agent-inbox.ts";
import { keepAlarm } from "../platform/alarms.ts";
import { SECOND_MS, systemClock } from "../platform/clock.ts";
import { randomFraction } from "../platform/crypto.ts";
import { createIds } from "../platform/ids.ts";
import { consoleLog } from "../platform/log.ts";
import type { AddNotice, InboxQuery, ReadMark } from "../ports/inbox.ts";
import type { Subscription } from "../ports/topics.ts";
import type { RestoreWorkspace, WorkspacePort } from "../ports/workspace.ts";
import { tellRelays } from "./tell-relays.ts";

/** The time after which an alarm informs the remaining relays, if the object dies before it has informed all of them. */
const RESUME_MS = 2 * SECOND_MS;
/** The storage key whose value is true once the agent has been erased. */
const ERASED = "erased";

const copyIds = createIds();

/** One object per agent, with its key-value entries, the index of its files, its quotas and its inbox. */
export class Workspace extends AgentWorkspace implements WorkspacePort {
	#openedInbox: AgentInbox | null = null;
	#openedCopies: WorkspaceCopies | null = null;

	get #inbox(): AgentInbox {
		this.#openedInbox ??= new AgentInbox(this.ctx.storage);
		return this.#openedInbox;
	}

	get #copies(): WorkspaceCopies {
		this.#openedCopies ??= new WorkspaceCopies(this.ctx.storage, {
			...{ bucket: this.env.BUCKET, log: consoleLog, now: systemClock.now, random: randomFraction, newId: copyIds.next },
		});
		return this.#openedCopies;
	}

	/** The agent's id, which is the object's name. Only objects that know their name are copied. */
	get #agentId(): string | undefined {
		return this.ctx.id.name;
	}

	protected override get isErased(): boolean {
		return this.ctx.storage.kv.get(ERASED) === true;
	}

	protected override noteChange(): void {
		if (this.#agentId === undefined || !this.#copies.noteChange(this.#agentId)) return;
		this.ctx.waitUntil(this.scheduleAlarm(this.nextDue()));
	}

	/** Sets the alarm to the earliest time at which the workspace, the inbox, its relays or the copies have work to do. */
	protected override async scheduleAlarm(workspaceDue: number | null): Promise<void> {
		const resumeAt = this.#inbox.waitingRelays().length === 0 ? null : systemClock.now() + RESUME_MS;
		const due = [workspaceDue, this.#inbox.nextDue(), this.#copies.nextDue(), resumeAt].filter((at) => at !== null);
		if (due.length === 0) await this.ctx.storage.deleteAlarm();
		else await this.ctx.storage.setAlarm(Math.min(...due));
	}

	override async openTables(): Promise<void> {
		await super.openTables();
		this.#inbox.nextDue();
	}

	async erase(): Promise<void> {
		await this.ctx.storage.deleteAlarm();
		await this.ctx.storage.deleteAll();
		this.forgetTables();
		this.#openedInbox = null;
		// Tasks in which the agent took part still send events. With this mark, the erased inbox ignores them.
		await this.ctx.storage.put(ERASED, true);
		if (this.#agentId !== undefined) await this.#copies.erase(this.#agentId);
	}

	async restoreCopy(copy: RestoreWorkspace) {
		if (this.isErased || this.#agentId === undefined) return { refused: "ERASED" as const };
		this.makeTables();
		this.#inbox.makeTables();
		const restored = this.#copies.restore(this.#agentId, copy);
		await this.scheduleAlarm(this.nextDue());
		return restored;
	}

	async notify(notice: AddNotice): Promise<void> {
		if (this.isErased || !this.#inbox.add(notice)) return;
		const alarm = await this.ctx.storage.getAlarm();
		const due = this.#inbox.nextDue();
		if (due !== null && (alarm === null || alarm > due)) await this.ctx.storage.setAlarm(due);
		this.ctx.waitUntil(this.#tellWatchers());
	}
	async readInbox(query: InboxQuery) {
		return this.#inbox.read(query);
	}
	async markRead(mark: ReadMark) {
		return this.#inbox.mark(mark);
	}
	async readInboxAfter(afterId: string | null) {
		return this.#inbox.readAfter(afterId);
	}
	async watchInbox(subscription: Subscription) {
		return this.#inbox.watch(subscription);
	}
	async exportInbox() {
		return this.#inbox.exportAll();
	}

	async #tellWatchers(): Promise<void> {
		const relays = this.#inbox.waitingRelays();
		if (relays.length === 0) return;
		await this.scheduleAlarm(this.nextDue());
		await tellRelays(this.env, relays, this.#inbox);
		if (this.#inbox.waitingRelays().length === 0) await this.scheduleAlarm(this.nextDue());
	}

	override async alarm(): Promise<void> {
		const work = async () => {
			this.#inbox.prune();
			await this.#tellWatchers();
			await this.collectGarbage(this.env.BUCKET);
			await this.#copies.advance();
			await this.scheduleAlarm(this.nextDue());
		};
		await keepAlarm(this.ctx.storage, "workspace_alarm_failed", work);
	}
}
