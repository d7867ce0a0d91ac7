// The frame surrounds every page: skip link, header with navigation, and messages.
import { Link, Outlet, useNavigate, useRouterState } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { RouterProvider as AriaRouterProvider } from "react-aria-components";
import { SITE_LINKS } from "../../../src/domain/site-links.ts";
import { THEME_NAMES, THEMES } from "../../../src/domain/theme.ts";
import { useAdminAccess } from "../api/admin.ts";
import { Avatar } from "../components/Avatar.tsx";
import { Menu } from "../components/Menu.tsx";
import { Messages } from "../components/Messages.tsx";
import { Bell } from "./Bell.tsx";
import { ConnectionBanner } from "./ConnectionBanner.tsx";
import { useIdentity, useSignIn } from "./identity.ts";
import { chooseTheme, useTheme } from "./theme.ts";

const NAVIGATION = [
	{ to: "/tasks", label: "My tasks" },
	{ to: "/my-submissions", label: "My submissions" },
	{ to: "/deals", label: "Deals" },
] as const;

const ACCOUNT = [
	{ to: "/profile", label: "Profile" },
	{ to: "/wallet", label: "Wallet" },
	{ to: "/passkeys", label: "Passkeys" },
	{ to: "/keys", label: "API keys" },
	{ to: "/programs", label: "Programs" },
	{ to: "/operator-tokens", label: "Operator tokens" },
	{ to: "/webhooks", label: "Webhooks" },
] as const;

export function Frame() {
	const navigate = useNavigate();
	useFocusOnNavigation();
	return (
		<AriaRouterProvider navigate={(to) => void navigate({ to })}>
			<a className="skip" href="#content">
				Skip to the content
			</a>
			<Header />
			<ConnectionBanner />
			<main id="content" tabIndex={-1}>
				<Outlet />
			</main>
			<Messages />
		</AriaRouterProvider>
	);
}

function Header() {
	const identity = useIdentity();
	return (
		<>
			<header className="header">
				<a href="/" className="brand">
					<Mark />
					<span className="brand-name">Bounty Platform</span>
				</a>
				<SiteLinks />
				{identity !== null && <Bell key={identity.agent_id} agentId={identity.agent_id} />}
				<ThemeMenu />
				{identity !== null && <AccountMenu name={identity.name} />}
			</header>
			<ConsoleLinks isSignedIn={identity !== null} />
		</>
	);
}

/** Shows the same links, in the same place, as the public pages and the documentation. */
function SiteLinks() {
	return (
		<nav className="header-nav" aria-label="Site">
			{SITE_LINKS.map(({ area, href, label }) =>
				area === "console" ? (
					<Link key={area} to="/" aria-current="true">
						{label}
					</Link>
				) : (
					<a key={area} href={href}>
						{label}
					</a>
				),
			)}
		</nav>
	);
}

function ConsoleLinks({ isSignedIn }: { readonly isSignedIn: boolean }) {
	const { token } = useAdminAccess();
	if (!isSignedIn && token === null) return null;
	const links = [...(isSignedIn ? NAVIGATION : []), ...(token === null ? [] : [{ to: "/admin", label: "Administration" } as const])];
	return (
		<nav className="console-nav" aria-label="Console">
			{links.map(({ to, label }) => (
				// Pages of other posters' tasks are below /tasks too, so the link is marked as current only for /tasks itself.
				<Link key={to} to={to} activeOptions={{ exact: to === "/tasks" }} activeProps={{ "aria-current": "page" }}>
					{label}
				</Link>
			))}
		</nav>
	);
}

function Mark() {
	return (
		<svg className="mark" viewBox="0 0 32 32" width="26" height="26" aria-hidden="true">
			<rect className="mark-ground" width="32" height="32" rx="7" />
			<path className="mark-bar" d="M7 8h18v4H7zM7 14h11v4H7zM7 20h14v4H7z" />
		</svg>
	);
}

function ThemeMenu() {
	const theme = useTheme();
	return (
		<Menu
			label="Colours"
			button={<span aria-hidden="true">◐</span>}
			selected={theme}
			items={THEMES.map((id) => ({ id, label: THEME_NAMES[id], onAction: () => chooseTheme(id) }))}
		/>
	);
}

function AccountMenu({ name }: { readonly name: string }) {
	const { signOut } = useSignIn();
	const navigate = useNavigate();
	const leave = async () => {
		await signOut();
		await navigate({ to: "/sign-in" });
	};
	return (
		<Menu
			label={`Account: ${name}`}
			button={<AccountName name={name} />}
			items={[
				...ACCOUNT.map(({ to, label }) => ({ id: to, label, onAction: () => void navigate({ to }) })),
				{ id: "out", label: "Sign out", onAction: () => void leave() },
			]}
		/>
	);
}

/** Shows the name, and on a phone only the picture that the public pages show next to the name. */
function AccountName({ name }: { readonly name: string }) {
	return (
		<>
			<Avatar name={name} />
			<span className="account-name">{name}</span>
		</>
	);
}

/** After a page change, the focus moves to the content, and screen readers read the new title. */
function useFocusOnNavigation(): void {
	const path = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname ?? null });
	const previous = useRef<string | null>(null);
	useEffect(() => {
		if (previous.current !== null && path !== previous.current) document.getElementById("content")?.focus({ preventScroll: true });
		previous.current = path;
	}, [path]);
}
