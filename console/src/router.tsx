// The pages of the console. Each is a separate chunk, loaded when it is opened.

import type { QueryClient } from "@tanstack/react-query";
import { createRootRouteWithContext, createRoute, createRouter, redirect } from "@tanstack/react-router";
import { queryClient } from "./api/queries.ts";
import { Frame } from "./layout/Frame.tsx";
import { identityQuery } from "./layout/identity.ts";
import { NotFound, PageError, PageLoading } from "./layout/states.tsx";
import { TaskPage } from "./pages/task/TaskPage.tsx";
import { keepFragment, takeFragment } from "./platform/kept-fragment.ts";
import { lazyPage } from "./platform/load-page.ts";
import { type AdminSearch, readAdminSearch } from "./rules/admin-views.ts";
import { readReturnTo } from "./rules/return-to.ts";
import { readStep, type Step } from "./rules/steps.ts";
import { readTag } from "./rules/tags.ts";
import { type DeskList, readDeskList, readSubmissionView, readTaskView, type SubmissionView, type TaskView } from "./rules/task-views.ts";
import { type ChatService, readChatService } from "./rules/webhook-events.ts";

interface RouterContext {
	readonly queries: QueryClient;
}

const root = createRootRouteWithContext<RouterContext>()({ component: Frame, notFoundComponent: NotFound });

/** The parent of every page that needs an identity. It sends visitors to sign in, and then back. */
const signedIn = createRoute({
	getParentRoute: () => root,
	id: "member",
	beforeLoad: async ({ context: { queries }, location }) => {
		const { pathname, searchStr } = location;
		if ((await queries.ensureQueryData(identityQuery)) === null) {
			keepFragment(location);
			throw redirect({ to: "/sign-in", search: { return_to: pathname + searchStr } });
		}
		const hash = takeFragment(pathname);
		if (hash !== "") throw redirect({ to: pathname, search: true, hash, replace: true });
	},
});

const returnSearch = (search: { readonly return_to?: unknown }): { return_to?: string | undefined } => ({
	return_to: readReturnTo(search.return_to) ?? undefined,
});

const signIn = createRoute({
	getParentRoute: () => root,
	path: "/sign-in",
	validateSearch: returnSearch,
	component: lazyPage(() => import("./pages/sign-in/SignInPage.tsx"), "SignInPage"),
});

/** The page to which a sign-in service sends the browser back. */
const signedInBack = createRoute({
	getParentRoute: () => root,
	path: "/signed-in",
	validateSearch: returnSearch,
	component: lazyPage(() => import("./pages/sign-in/SignedInPage.tsx"), "SignedInPage"),
});

/** This page needs the admin token instead of an identity. */
const admin = createRoute({
	getParentRoute: () => root,
	path: "/admin",
	validateSearch: (search: Record<string, unknown>): AdminSearch => readAdminSearch(search),
	component: lazyPage(() => import("./pages/admin/AdminPage.tsx"), "AdminPage"),
});

const home = createRoute({
	getParentRoute: () => signedIn,
	path: "/",
	component: lazyPage(() => import("./pages/home/HomePage.tsx"), "HomePage"),
});

const inbox = createRoute({
	getParentRoute: () => signedIn,
	path: "/inbox",
	component: lazyPage(() => import("./pages/inbox/InboxPage.tsx"), "InboxPage"),
});

const tasks = createRoute({
	getParentRoute: () => signedIn,
	path: "/tasks",
	component: lazyPage(() => import("./pages/tasks/TasksPage.tsx"), "TasksPage"),
});

/** Anyone can write a task. Only publishing needs an identity. */
const newTask = createRoute({
	getParentRoute: () => root,
	path: "/tasks/new",
	beforeLoad: ({ context: { queries } }) => queries.ensureQueryData(identityQuery).then(() => undefined),
	validateSearch: (search: { readonly step?: unknown }): { step?: Step | undefined } => ({ step: readStep(search.step) }),
	component: lazyPage(() => import("./pages/wizard/NewTaskPage.tsx"), "NewTaskPage"),
});

const editTask = createRoute({
	getParentRoute: () => signedIn,
	path: "/tasks/$taskId/edit",
	validateSearch: (search: { readonly step?: unknown }): { step?: Step | undefined } => ({ step: readStep(search.step) }),
	component: lazyPage(() => import("./pages/wizard/EditTaskPage.tsx"), "EditTaskPage"),
});

const task = createRoute({
	getParentRoute: () => signedIn,
	path: "/tasks/$taskId",
	validateSearch: (search: { readonly view?: unknown }): { view?: TaskView | undefined } => ({ view: readTaskView(search.view) }),
	component: TaskPage,
});

const submission = createRoute({
	getParentRoute: () => signedIn,
	path: "/tasks/$taskId/submissions/$submissionId",
	validateSearch: (search: {
		readonly list?: unknown;
		readonly view?: unknown;
	}): { list?: DeskList | undefined; view?: SubmissionView | undefined } => ({
		list: readDeskList(search.list),
		view: readSubmissionView(search.view),
	}),
	component: lazyPage(() => import("./pages/received/SubmissionPage.tsx"), "SubmissionPage"),
});

const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

const compare = createRoute({
	getParentRoute: () => signedIn,
	path: "/tasks/$taskId/compare",
	validateSearch: (search: Record<string, unknown>): { left?: string | undefined; right?: string | undefined } => ({
		left: textOf(search["left"]),
		right: textOf(search["right"]),
	}),
	component: lazyPage(() => import("./pages/received/ComparePage.tsx"), "ComparePage"),
});

const deals = createRoute({
	getParentRoute: () => signedIn,
	path: "/deals",
	component: lazyPage(() => import("./pages/deals/DealsPage.tsx"), "DealsPage"),
});

const deal = createRoute({
	getParentRoute: () => signedIn,
	path: "/deals/$dealId",
	component: lazyPage(() => import("./pages/deals/DealPage.tsx"), "DealPage"),
});

/** Pages for posters, and the deal pages for both sides. */
const posterRoutes = [tasks, editTask, task, submission, compare, deals, deal];

const submit = createRoute({
	getParentRoute: () => signedIn,
	path: "/tasks/$taskId/submit",
	component: lazyPage(() => import("./pages/submit/SubmitPage.tsx"), "SubmitPage"),
});

const mySubmissions = createRoute({
	getParentRoute: () => signedIn,
	path: "/my-submissions",
	component: lazyPage(() => import("./pages/my-submissions/MySubmissionsPage.tsx"), "MySubmissionsPage"),
});

const mySubmission = createRoute({
	getParentRoute: () => signedIn,
	path: "/my-submissions/$submissionId",
	validateSearch: (search: { readonly view?: unknown }): { view?: SubmissionView | undefined } => ({
		view: readSubmissionView(search.view),
	}),
	component: lazyPage(() => import("./pages/my-submissions/MySubmissionPage.tsx"), "MySubmissionPage"),
});

const wallet = createRoute({
	getParentRoute: () => signedIn,
	path: "/wallet",
	component: lazyPage(() => import("./pages/wallet/WalletPage.tsx"), "WalletPage"),
});

const passkeys = createRoute({
	getParentRoute: () => signedIn,
	path: "/passkeys",
	component: lazyPage(() => import("./pages/keys/PasskeysPage.tsx"), "PasskeysPage"),
});

const keys = createRoute({
	getParentRoute: () => signedIn,
	path: "/keys",
	component: lazyPage(() => import("./pages/keys/KeysPage.tsx"), "KeysPage"),
});

const programs = createRoute({
	getParentRoute: () => signedIn,
	path: "/programs",
	component: lazyPage(() => import("./pages/programs/ProgramsPage.tsx"), "ProgramsPage"),
});

const operatorTokens = createRoute({
	getParentRoute: () => signedIn,
	path: "/operator-tokens",
	component: lazyPage(() => import("./pages/keys/OperatorTokensPage.tsx"), "OperatorTokensPage"),
});

const webhooks = createRoute({
	getParentRoute: () => signedIn,
	path: "/webhooks",
	validateSearch: (search: { readonly connect?: unknown }): { connect?: ChatService | undefined } => ({
		connect: readChatService(search.connect),
	}),
	component: lazyPage(() => import("./pages/webhooks/WebhooksPage.tsx"), "WebhooksPage"),
});

const webhook = createRoute({
	getParentRoute: () => signedIn,
	path: "/webhooks/$webhookId",
	component: lazyPage(() => import("./pages/webhooks/WebhookPage.tsx"), "WebhookPage"),
});

const profile = createRoute({
	getParentRoute: () => signedIn,
	path: "/profile",
	validateSearch: (search: { readonly follow?: unknown }): { follow?: string | undefined } => ({
		follow: readTag(search.follow) ?? undefined,
	}),
	component: lazyPage(() => import("./pages/profile/ProfilePage.tsx"), "ProfilePage"),
});

const competitorRoutes = [submit, mySubmissions, mySubmission];
const accountRoutes = [wallet, passkeys, keys, programs, operatorTokens, webhooks, webhook, profile];

const memberRoutes = [home, inbox, ...posterRoutes, ...competitorRoutes, ...accountRoutes];

const routeTree = root.addChildren([signIn, signedInBack, admin, newTask, signedIn.addChildren(memberRoutes)]);

export const router = createRouter({
	routeTree,
	basepath: "/console",
	context: { queries: queryClient },
	defaultErrorComponent: PageError,
	defaultPendingComponent: PageLoading,
	scrollRestoration: true,
});

declare module "@tanstack/react-router" {
	interface Register {
		router: typeof router;
	}
}
