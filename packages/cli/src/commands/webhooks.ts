// Defines the commands for webhooks: managing them, reading their log, and receiving events on this machine.
import type { Command } from "commander";
import { type CreateWebhookBody, trustDocument } from "../core/sdk.ts";
import { confirmStep } from "../terminal/prompts.ts";
import { fields, formatWhen } from "../terminal/text.ts";
import { argument, collect, type LimitOption, pageSize, type Run, summaryOf, textOf, withLimit } from "./define.ts";
import { listen } from "./listen.ts";
import { showList } from "./listing.ts";

interface CreateOptions {
	readonly event: readonly string[];
	readonly task?: readonly string[];
	readonly category?: readonly string[];
}

export function addWebhookCommands(program: Command, run: Run): void {
	const webhooks = program.command("webhooks").description("Manage webhooks, and receive events on this machine");
	addManagement(webhooks, run);
	addEndings(webhooks, run);
	addLog(webhooks, run);
	run(webhooks.command("listen"), "Forward events to a service on this machine, signed as the platform signs them", listen)
		.requiredOption("--forward <url>", "the service's URL, such as http://localhost:3000/hook")
		.option("--webhook <id>", "forward the events of this webhook of yours; default: a temporary one")
		.option("--event <name>", "only this event; repeatable", collect)
		.option("--secret <secret>", "sign with this whsec_ secret; default: BOUNTY_WEBHOOK_SECRET, or a new one");
}

function addManagement(webhooks: Command, run: Run): void {
	run<LimitOption>(
		withLimit(webhooks.command("list", { isDefault: true })),
		summaryOf("listWebhooks"),
		async (ctx, { options: { limit } }) => {
			const list = (await ctx.client()).listWebhooks({ limit: pageSize(limit) }, { signal: ctx.signal });
			showList(ctx, await list.toArray(limit), {
				ID: ({ id }) => id,
				ACTIVE: ({ active }) => (active ? "yes" : "no"),
				VERIFIED: ({ verified }) => (verified ? "yes" : "no"),
				EVENTS: ({ events }) => events.join(","),
				URL: ({ url }) => url,
			});
		},
	);
	run<CreateOptions>(webhooks.command("create <url>"), `${summaryOf("createWebhook")}. Its secret is shown once`, async (ctx, given) => {
		const { event, task, category } = given.options;
		const scope = {
			...(task === undefined ? {} : { task_ids: [...task] }),
			...(category === undefined ? {} : { categories: [...category] }),
		};
		const body = trustDocument<CreateWebhookBody>({ url: argument(given, 0), events: event, ...scope });
		const made = await (await ctx.client()).createWebhook(body, { signal: ctx.signal });
		ctx.terminal.result(made, (paint) =>
			fields(paint, { id: made.id, url: made.url, secret: made.secret, verified: made.verified, note: made.message }),
		);
	})
		.requiredOption("--event <name>", `${textOf("createWebhook", "events")}; repeatable`, collect)
		.option("--task <id>", `${textOf("createWebhook", "task_ids")}; repeatable`, collect)
		.option("--category <category>", `${textOf("createWebhook", "categories")}; repeatable`, collect);
}

function addEndings(webhooks: Command, run: Run): void {
	run(webhooks.command("delete <id>"), `${summaryOf("deleteWebhook")}. Its log stays`, async (ctx, given) => {
		const client = await ctx.client();
		await confirmStep(ctx.terminal, `Delete webhook ${argument(given, 0)}?`);
		const deleted = await client.deleteWebhook(argument(given, 0), { signal: ctx.signal });
		ctx.terminal.result(deleted, () => `Deleted ${deleted.id}`);
	});
	run(webhooks.command("rotate <id>"), `${summaryOf("rotateWebhookSecret")}. The old one also signs for 24 hours`, async (ctx, given) => {
		const client = await ctx.client();
		await confirmStep(ctx.terminal, `Replace the secret of webhook ${argument(given, 0)}?`);
		const rotated = await client.rotateWebhookSecret(argument(given, 0), { signal: ctx.signal });
		ctx.terminal.result(rotated, (paint) =>
			fields(paint, { id: rotated.id, secret: rotated.secret, "old secret until": rotated.previous_secret_expires_at }),
		);
	});
}

function addLog(webhooks: Command, run: Run): void {
	run(webhooks.command("test <id>"), summaryOf("testWebhook"), async (ctx, given) => {
		const queued = await (await ctx.client()).testWebhook(argument(given, 0), { signal: ctx.signal });
		ctx.terminal.result(queued, (paint) => fields(paint, { delivery: queued.delivery_id, note: queued.message }));
	});
	run<LimitOption>(withLimit(webhooks.command("log <id>")), summaryOf("listWebhookDeliveries"), async (ctx, given) => {
		const { limit } = given.options;
		const client = await ctx.client();
		const list = client.listWebhookDeliveries(argument(given, 0), { limit: pageSize(limit) }, { signal: ctx.signal });
		showList(ctx, await list.toArray(limit), {
			DELIVERY: ({ id }) => id,
			EVENT: ({ event }) => event,
			STATUS: ({ status }) => status,
			ATTEMPTS: ({ attempts }) => attempts.length,
			RESPONSE: ({ attempts }) => attempts.at(-1)?.response_code,
			CREATED: (each) => formatWhen(each.created_at),
		});
	});
	run(webhooks.command("replay <id> <delivery>"), summaryOf("replayWebhookDelivery"), async (ctx, given) => {
		const queued = await (await ctx.client()).replayWebhookDelivery(argument(given, 0), argument(given, 1), { signal: ctx.signal });
		ctx.terminal.result(queued, (paint) => fields(paint, { delivery: queued.delivery_id, note: queued.message }));
	});
}
