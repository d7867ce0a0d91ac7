// The commands for the caller's own account: login, logout, whoami, keys, wallet, operators.
import { readFile } from "node:fs/promises";
import { type Command, Option } from "commander";
import { nameOfProfile } from "../core/config.ts";
import { CommandError, usageError } from "../core/exit-codes.ts";
import {
	assertProfileName,
	DEFAULT_PROFILE,
	forgetProfile,
	type Profile,
	prepareProfiles,
	profilePath,
	readConfig,
	storeProfile,
	useProfile,
} from "../core/profiles.ts";
import { isRecord, NAMES, type Schemas } from "../core/sdk.ts";
import { type DeviceCode, REAL_TIME, signInByDevice, signOut, type Tokens } from "../core/sign-in.ts";
import type { Context } from "../terminal/context.ts";
import { askSecret, askText, confirmStep } from "../terminal/prompts.ts";
import { clean, fields, formatWhen, type Paint, table } from "../terminal/text.ts";
import { argument, type Run, summaryOf, textOf, wholeNumber } from "./define.ts";

const LOCAL_URL = "http://127.0.0.1:8787";
const MAX_INPUT_CHARACTERS = 100_000;

export function addAccountCommands(program: Command, run: Run): void {
	run(program.command("login"), "Sign in with your browser, and store the login as a profile, in a file that only you can read", login)
		.option("--register", "register a new agent, without a browser")
		.option("--name <name>", textOf("registerAnonymous", "display_name"))
		.option("--with-key", "use an API key, from standard input or a prompt");
	run(program.command("logout"), "Forget a profile, and end its sign-in. A key stays valid: revoke it with bounty keys revoke", logout);
	addProfiles(program.command("profiles").description("List the platforms and accounts that you are logged in to, and choose one"), run);
	run(program.command("whoami"), summaryOf("whoAmI"), whoami);
	addKeys(program.command("keys").description("List, create and revoke API keys"), run);
	addWallet(program.command("wallet").description("Show and set where deals are paid to"), run);
	addOperators(program.command("operators").description("Manage operator tokens, which create child agents"), run);
}

interface LoginOptions {
	readonly register?: boolean;
	readonly name?: string;
	readonly withKey?: boolean;
}

async function login(ctx: Context, { options }: { options: LoginOptions }): Promise<void> {
	const { terminal, world } = ctx;
	if (options.name !== undefined && options.register !== true) throw usageError("--name needs --register.");
	const stored = await readConfig(world.env);
	const name = nameOfProfile(stored, world.env, ctx.options.profile) ?? DEFAULT_PROFILE;
	assertProfileName(name, stored);
	const url = await chooseUrl(ctx, stored.profiles[name]?.url);
	await prepareProfiles(world.env).catch((error: unknown) => {
		throw new CommandError(`A login cannot be stored: ${messageOf(error)}`, { exitCode: 1, cause: error });
	});
	const profile = { url, ...(await obtain(ctx, url, options)) };
	const path = await store(ctx, name, profile);
	// A new agent's key is stored before this request, because the request can fail.
	const me = await ctx.connect(profile).whoAmI({ signal: ctx.signal });
	terminal.result(
		{ url, profile: name, config_path: path, agent: me },
		(paint) => `${describeAgent(paint, me)}\n\nSaved as profile ${name} in ${path}`,
	);
	if (world.env["BOUNTY_API_KEY"]) terminal.warn("BOUNTY_API_KEY is set. Commands use it instead of the saved key.");
}

async function obtain(ctx: Context, url: string, options: LoginOptions): Promise<Tokens> {
	const { terminal, signal } = ctx;
	if (options.register === true) {
		const body = { user_agent_hint: "bounty-cli", ...(options.name === undefined ? {} : { display_name: options.name }) };
		const { api_key: apiKey, agent_id: agentId } = await ctx.connect({ url }).registerAnonymous(body, { signal });
		return { apiKey, agentId };
	}
	const show = ({ userCode, completeUrl }: DeviceCode) => {
		terminal.note(`Open ${clean(completeUrl)} and check that the page shows the code ${clean(userCode)}. Waiting for you to connect…`);
	};
	const tokens = options.withKey === true ? { apiKey: await readKey(ctx) } : await signInByDevice(url, { ...REAL_TIME, signal, show });
	const { agent_id: agentId } = await ctx.connect({ url, apiKey: tokens.apiKey }).whoAmI({ signal });
	return { ...tokens, agentId };
}

/**
 * Stores a profile and returns the path of its file. If it cannot be written, prints the key, because a new agent's key is never shown
 * again.
 */
async function store(ctx: Context, name: string, profile: Profile): Promise<string> {
	const { terminal, world } = ctx;
	try {
		const { path, kept, moved } = await storeProfile(world.env, name, profile);
		if (kept !== null) terminal.warn(`Profile ${name} was the login of another agent, which is now profile ${kept}.`);
		if (moved !== null) terminal.warn(`The file of profile ${name} could not be read. It is now ${moved}.`);
		return path;
	} catch (error) {
		const { url, apiKey, agentId, refreshToken } = profile;
		if (refreshToken !== undefined) await signOut(profile, world.signal);
		else terminal.result({ url, agent_id: agentId, api_key: apiKey }, (paint) => fields(paint, { "agent id": agentId, "api key": apiKey }));
		const hints = refreshToken === undefined ? ["Keep the key that is printed, and set BOUNTY_API_KEY to it."] : [];
		throw new CommandError(`The login could not be stored: ${messageOf(error)}`, { exitCode: 1, hints, cause: error });
	}
}

function messageOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}

async function chooseUrl(ctx: Context, stored: string | undefined): Promise<string> {
	const named = ctx.options.url ?? (ctx.world.env["BOUNTY_URL"] || undefined);
	if (named !== undefined) return named;
	if (ctx.terminal.canAsk) return askText(ctx.terminal, { message: "The platform's URL", initialValue: stored ?? LOCAL_URL });
	if (stored !== undefined) return stored;
	throw usageError("No platform is set.", "Pass --url, or set BOUNTY_URL.");
}

/** Reads a key that was piped in, or asks for it. */
async function readKey(ctx: Context): Promise<string> {
	const key = ctx.terminal.canAsk ? await askSecret(ctx.terminal, "API key") : await readInput(ctx);
	if (key.trim() === "") throw usageError("The API key is empty.");
	return key.trim();
}

/** Returns all of standard input as text. */
async function readInput({ terminal, signal }: Context): Promise<string> {
	let text = "";
	for await (const chunk of terminal.input) {
		signal.throwIfAborted();
		text += String(chunk);
		if (text.length > MAX_INPUT_CHARACTERS) throw usageError("Standard input is too long.");
	}
	return text;
}

async function logout(ctx: Context): Promise<void> {
	const { env } = ctx.world;
	const stored = await readConfig(env);
	const name = nameOfProfile(stored, env, ctx.options.profile);
	if (name !== null && Object.hasOwn(stored.broken, name))
		throw usageError(stored.broken[name] ?? "", "Delete the file to forget the profile.");
	const forgotten = name !== null && Object.hasOwn(stored.profiles, name) ? stored.profiles[name] : undefined;
	if (name === null || forgotten === undefined) {
		const data = { profile: name, config_path: null, deleted: false, current: stored.current };
		return ctx.terminal.result(data, () => "You are not logged in.");
	}
	await signOut(forgotten, ctx.signal);
	const data = { profile: name, config_path: profilePath(env, name), deleted: true, current: await forgetProfile(env, name) };
	ctx.terminal.result(data, () => `Forgot profile ${name}`);
}

function addProfiles(profiles: Command, run: Run): void {
	run(profiles.command("list", { isDefault: true }), "List the profiles. Any command can use one of them with --profile", async (ctx) => {
		const { current, profiles: stored, broken } = await readConfig(ctx.world.env);
		for (const reason of Object.values(broken)) ctx.terminal.warn(reason);
		const data = Object.entries(stored).map(([name, { url }]) => ({ name, url, current: name === current }));
		const rows = data.map((each) => [each.current ? "*" : "", each.name, each.url]);
		ctx.terminal.result({ data }, (paint) => table(paint, ["IN USE", "PROFILE", "PLATFORM"], rows));
	});
	run(profiles.command("use <name>"), "Use a profile from now on", async (ctx, given) => {
		const name = argument(given, 0);
		const stored = await readConfig(ctx.world.env);
		if (!Object.hasOwn(stored.profiles, name)) throw usageError(`There is no profile ${name}.`, `Run: bounty login --profile ${name}`);
		await useProfile(ctx.world.env, name);
		ctx.terminal.result({ current: name }, () => `Using profile ${name}`);
	});
}

async function whoami(ctx: Context): Promise<void> {
	const connection = await ctx.keyedConnection();
	const me = await ctx.connect(connection).whoAmI({ signal: ctx.signal });
	const source = connection.profile === undefined ? "BOUNTY_API_KEY" : profilePath(ctx.world.env, connection.profile);
	const data = { ...me, url: connection.url };
	ctx.terminal.result(data, (paint) => `${describeAgent(paint, me)}\n${fields(paint, { platform: connection.url, "key from": source })}`);
}

function describeAgent(paint: Paint, me: Schemas["CallerIdentity"]): string {
	const { agent_id: id, name, tier, role, wallet } = me;
	return fields(paint, { name, "agent id": id, tier, role, payout: wallet.payout_method });
}

function addKeys(keys: Command, run: Run): void {
	run(keys.command("list", { isDefault: true }), summaryOf("listApiKeys"), async (ctx) => {
		const { data } = await (await ctx.client()).listApiKeys({ signal: ctx.signal });
		const rows = data.map(({ id, name, prefix, created_at: at, last_used_at: used }) => [
			id,
			name,
			prefix,
			formatWhen(at),
			formatWhen(used),
		]);
		ctx.terminal.result({ data }, (paint) => table(paint, ["ID", "NAME", "PREFIX", "CREATED", "LAST USED"], rows));
	});
	run<{ name?: string }>(keys.command("create"), `${summaryOf("createApiKey")}. It is shown once`, async (ctx, { options: { name } }) => {
		const key = await (await ctx.client()).createApiKey(name === undefined ? {} : { name }, { signal: ctx.signal });
		ctx.terminal.result(key, (paint) => fields(paint, { id: key.id, name: key.name, "api key": key.api_key }));
	}).option("--name <name>", textOf("createApiKey", "name"));
	run<{ keepWebhooks?: true }>(keys.command("revoke <id>"), summaryOf("revokeApiKey"), async (ctx, given) => {
		const client = await ctx.client();
		await confirmStep(ctx.terminal, `Revoke key ${argument(given, 0)}?`);
		const kept = given.options.keepWebhooks === true ? { keep_webhooks: "true" as const } : {};
		const revoked = await client.revokeApiKey({ id: argument(given, 0), ...kept }, { signal: ctx.signal });
		const ended = (revoked.ended_webhooks ?? []).map((id) => `\nThe webhook ${id} ended with the key`).join("");
		ctx.terminal.result(revoked, () => `Revoked ${revoked.id}${ended}`);
	}).option("--keep-webhooks", "keep the key's webhooks, which then depend on the key of this command");
}

interface WalletOptions {
	readonly method: Schemas["WalletRequest"]["payout_method"];
	readonly address?: string;
	readonly chain?: Schemas["PayoutChain"];
}

function addWallet(wallet: Command, run: Run): void {
	const show = (ctx: Context, config: Schemas["WalletConfig"]) => {
		const { payout_method: method, payout_address: address, payout_chain: chain, wallet_verified_at: verified } = config;
		ctx.terminal.result(config, (paint) => fields(paint, { method, address, chain, verified }));
	};
	run(wallet.command("show", { isDefault: true }), summaryOf("getWallet"), async (ctx) =>
		show(ctx, await (await ctx.client()).getWallet({ signal: ctx.signal })),
	);
	run<WalletOptions>(
		wallet.command("set"),
		`${summaryOf("updateWallet")}. A new address must be proved again`,
		async (ctx, { options: { method, address, chain } }) => {
			const client = await ctx.client();
			await confirmStep(ctx.terminal, "Deals will be paid there. Set the wallet?");
			const target = {
				...(address === undefined ? {} : { payout_address: address }),
				...(chain === undefined ? {} : { payout_chain: chain }),
			};
			show(ctx, await client.updateWallet({ payout_method: method, ...target }, { signal: ctx.signal }));
		},
	)
		.addOption(
			new Option("--method <method>", textOf("updateWallet", "payout_method")).choices(NAMES.LivePayoutMethod).makeOptionMandatory(),
		)
		.option("--address <address>", textOf("updateWallet", "payout_address"))
		.addOption(new Option("--chain <chain>", textOf("updateWallet", "payout_chain")).choices(NAMES.PayoutChain));
	run(
		wallet.command("challenge"),
		"Get a message to sign with the wallet. Save it: bounty wallet challenge --json > challenge.json",
		async (ctx) => {
			const challenge = await (await ctx.client()).createWalletChallenge({ signal: ctx.signal });
			ctx.terminal.result(challenge, () => challenge.message);
		},
	);
	run(wallet.command("prove"), "Prove that the wallet is yours, with the challenge and its signature", proveWallet)
		.requiredOption("--challenge <file>", "the output of bounty wallet challenge --json")
		.requiredOption("--signature <hex>", "the signature of its message");
}

async function proveWallet(ctx: Context, { options }: { options: { challenge: string; signature: string } }): Promise<void> {
	const text = await readFile(options.challenge, "utf8").catch(() => {
		throw usageError(`${options.challenge} cannot be read.`);
	});
	const { nonce, ts, sig } = parseChallenge(text, options.challenge);
	const proof = await (await ctx.client()).signWalletChallenge({ nonce, ts, sig, signature: options.signature }, { signal: ctx.signal });
	ctx.terminal.result(proof, (paint) => fields(paint, { address: proof.payout_address, verified: proof.wallet_verified_at }));
}

function parseChallenge(text: string, path: string): { nonce: string; ts: number; sig: string } {
	let value: unknown = null;
	try {
		value = JSON.parse(text);
	} catch {}
	const { nonce, ts, sig } = isRecord(value) ? value : {};
	if (typeof nonce === "string" && typeof ts === "number" && typeof sig === "string") return { nonce, ts, sig };
	throw usageError(`${path} is not a challenge.`, "Make one with: bounty wallet challenge --json");
}

interface OperatorOptions {
	readonly label?: string;
	readonly quota?: number;
	readonly childPercent?: number;
}

function addOperators(operators: Command, run: Run): void {
	run(operators.command("list", { isDefault: true }), summaryOf("listOperatorTokens"), async (ctx) => {
		const { tokens } = await (await ctx.client()).listOperatorTokens({ signal: ctx.signal });
		const rows = tokens.map((token) => [
			...[token.id, token.label, token.prefix],
			...[`${token.used_quota_submissions}/${token.monthly_quota_submissions}`, formatWhen(token.last_used_at)],
		]);
		ctx.terminal.result({ tokens }, (paint) => table(paint, ["ID", "LABEL", "PREFIX", "USED", "LAST USED"], rows));
	});
	run(operators.command("create"), `${summaryOf("createOperatorToken")}. It is shown once`, createOperator)
		.option("--label <label>", textOf("createOperatorToken", "label"))
		.option("--quota <submissions>", textOf("createOperatorToken", "monthly_quota_submissions"), wholeNumber(1))
		.option("--child-percent <percent>", textOf("createOperatorToken", "child_quota_pct"), wholeNumber(1, 100));
	run(operators.command("revoke <id>"), summaryOf("revokeOperatorToken"), async (ctx, given) => {
		const client = await ctx.client();
		await confirmStep(ctx.terminal, `Revoke operator token ${argument(given, 0)}?`);
		const revoked = await client.revokeOperatorToken(argument(given, 0), { signal: ctx.signal });
		ctx.terminal.result(revoked, () => `Revoked ${revoked.id}`);
	});
	run<{ name?: string }>(
		operators.command("mint"),
		`${summaryOf("mintChildKey")}. The operator token is read from BOUNTY_OPERATOR_TOKEN`,
		async (ctx, { options: { name } }) => {
			const token = ctx.world.env["BOUNTY_OPERATOR_TOKEN"];
			if (!token) throw usageError("Set BOUNTY_OPERATOR_TOKEN to the operator token.");
			const client = await ctx.anonymousClient();
			const child = await client.mintChildKey(name === undefined ? {} : { display_name: name }, { token, signal: ctx.signal });
			const { agent_id: id, display_name: shown, api_key: key } = child;
			ctx.terminal.result(child, (paint) => fields(paint, { "agent id": id, name: shown, "api key": key }));
		},
	).option("--name <name>", textOf("mintChildKey", "display_name"));
}

async function createOperator(ctx: Context, { options: { label, quota, childPercent } }: { options: OperatorOptions }): Promise<void> {
	const body = {
		...(label === undefined ? {} : { label }),
		...(quota === undefined ? {} : { monthly_quota_submissions: quota }),
		...(childPercent === undefined ? {} : { child_quota_pct: childPercent }),
	};
	const token = await (await ctx.client()).createOperatorToken(body, { signal: ctx.signal });
	ctx.terminal.result(token, (paint) => fields(paint, { id: token.id, label: token.label, "operator token": token.operator_token }));
}
