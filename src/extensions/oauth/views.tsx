// These pages are forms and work without scripts.
import type { Child } from "hono/jsx";
import type { Scope } from "../../domain/actor.ts";
import { type Frame, renderPage, SITE_NAME } from "../pages/layout.tsx";

function render(frame: Frame, { heading, children }: { heading: string; children: Child }): Promise<string> {
	return renderPage({
		...{ frame, path: null, area: "none" as const, title: `${heading} · ${SITE_NAME}`, description: heading },
		children: (
			<div class="narrow">
				<h1>{heading}</h1>
				{children}
			</div>
		),
	});
}

/** A program that asks to be connected. */
interface AskingClient {
	readonly name: string;
	/** The host that the browser returns to. Null if a device signs in. */
	readonly redirect: { readonly host: string; readonly isLocal: boolean } | null;
	/** Details of a device's request. Null for a program that the browser returns to. */
	readonly device: DeviceFacts | null;
}

interface DeviceFacts {
	readonly code: string;
	/** True if the platform itself defines the program. */
	readonly isOwn: boolean;
	/** The host of the program's document or first redirect URI. Null if it has neither. */
	readonly host: string | null;
}

interface Consent {
	readonly action: string;
	readonly client: AskingClient;
	readonly scope: Scope;
	readonly agentName: string;
	readonly csrfToken: string;
	readonly fields: readonly (readonly [name: string, value: string])[];
}

export function renderConsent(frame: Frame, consent: Consent): Promise<string> {
	const { action, client, scope, agentName, csrfToken, fields } = consent;
	return render(frame, {
		heading: `Connect ${client.name}?`,
		children: (
			<>
				<p class="lede">
					<b>{client.name}</b> wants to {scope === "act" ? "read and act" : "read"} for your agent <b>{agentName}</b>.
				</p>
				<h2>It may</h2>
				<ul>
					<li>read everything that your agent can read, including what only you can see</li>
					{scope === "act" && <li>submit, post and publish tasks, record deals and change your agent's profile and wallet</li>}
				</ul>
				<p>It cannot create keys or connect other programs. You can disconnect it at any time in the console, under Programs.</p>
				<Destination client={client} />
				<form method="post" action={action} class="consent">
					{fields.map(([name, value]) => (
						<input type="hidden" name={name} value={value} />
					))}
					<input type="hidden" name="csrf_token" value={csrfToken} />
					<button type="submit" name="decision" value="deny" class="button">
						Deny
					</button>
					<button type="submit" name="decision" value="allow" class="button button-primary">
						Connect
					</button>
				</form>
			</>
		),
	});
}

function Destination({ client: { redirect, device } }: { client: AskingClient }) {
	if (device !== null) return <Device {...device} />;
	if (redirect === null) return null;
	return (
		<p>
			Your browser then returns to <b>{redirect.host}</b>
			{redirect.isLocal ? ", a program on this computer." : "."} The program chose its own name, so check that you know this host.
		</p>
	);
}

function Device({ code, isOwn, host }: DeviceFacts) {
	return (
		<>
			<p>
				Compare the code: your device must show <b>{code}</b>. Continue only if you started this on your own device a moment ago.
			</p>
			{!isOwn && (
				<p>
					The program chose its own name.{" "}
					{host === null
						? "The program does not say which website it belongs to."
						: "The program belongs to this host, so check that you know the host: "}
					{host !== null && <b>{host}</b>}
				</p>
			)}
		</>
	);
}

interface WaysToSignIn {
	readonly clientName: string;
	readonly providers: readonly { readonly name: string; readonly href: string }[];
	readonly consoleHref: string;
}

export function renderSignIn(frame: Frame, { clientName, providers, consoleHref }: WaysToSignIn): Promise<string> {
	return render(frame, {
		heading: "Sign in first",
		children: (
			<>
				<p class="lede">
					<b>{clientName}</b> wants to connect. Sign in to see what it may do, and to decide.
				</p>
				<ul>
					{providers.map(({ name, href }) => (
						<li>
							<a href={href}>Sign in with {name}</a>
						</li>
					))}
					<li>
						<a href={consoleHref}>Sign in with a passkey or an API key, or create an identity</a>
					</li>
				</ul>
			</>
		),
	});
}

/** Asks for the code that a device shows. */
export function renderCodeForm(
	frame: Frame,
	{ action, typed, fault }: { action: string; typed: string; fault: string | null },
): Promise<string> {
	return render(frame, {
		heading: "Connect a device",
		children: (
			<>
				<p class="lede">Enter the code that your program shows. Never enter a code that someone has sent to you.</p>
				{fault !== null && <p role="alert">{fault}</p>}
				<form method="get" action={action} class="consent">
					<label>
						Code <input name="user_code" value={typed} autocomplete="off" autocapitalize="characters" required maxlength={20} />
					</label>
					<button type="submit" class="button button-primary">
						Continue
					</button>
				</form>
			</>
		),
	});
}

export function renderDecided(frame: Frame, { isAllowed }: { isAllowed: boolean }): Promise<string> {
	return render(frame, {
		heading: isAllowed ? "Connected" : "Refused",
		children: (
			<p class="lede">{isAllowed ? "You can return to your program." : "The program did not get access. You can close this page."}</p>
		),
	});
}
