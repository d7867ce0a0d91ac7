// Adds the reader's name, unread entries and marks on tasks to a page, with one private request. The page itself is the same for everyone,
// and a browser without a session sends no request.
import { avatarOf } from "../../src/domain/avatar.ts";
import { SESSION_ITEM } from "../../src/domain/session-mark.ts";
import { formatUnread } from "../../src/domain/site-links.ts";

/** The fields of `GET /api/dashboard/header` that the page shows. */
interface SiteHeader {
	readonly name: string;
	readonly unread: number;
	readonly entered: readonly string[];
	readonly posted: readonly string[];
}

/** Fills in what the header and the lists show to a signed-in reader. */
export async function showSession(): Promise<void> {
	if (!isMarked()) return;
	try {
		const response = await fetch("/api/dashboard/header");
		// The session has ended, so the next page does not have to ask.
		if (response.status === 401) localStorage.removeItem(SESSION_ITEM);
		if (response.ok) show(await response.json());
	} catch {
		// Without the reader's name and marks, the page is still complete.
	}
}

function isMarked(): boolean {
	try {
		return localStorage.getItem(SESSION_ITEM) !== null;
	} catch {
		return false;
	}
}

function show({ name, unread, entered, posted }: SiteHeader): void {
	for (const bell of document.querySelectorAll<HTMLElement>("[data-session-bell]")) {
		if (unread > 0) bell.append(countOf(unread));
		bell.hidden = false;
	}
	for (const account of document.querySelectorAll<HTMLElement>("[data-session-account]")) {
		const label = element("span", "account-name");
		label.textContent = name;
		account.append(pictureOf(name), label);
		account.hidden = false;
	}
	for (const place of document.querySelectorAll<HTMLElement>("[data-task-mark]")) {
		const id = place.dataset["taskMark"] ?? "";
		if (posted.includes(id)) place.append(markOf("Your task", `/console/tasks/${id}`));
		else if (entered.includes(id)) place.append(markOf("Entered", `/console/tasks/${id}?view=own`));
	}
}

function markOf(text: string, href: string): HTMLElement {
	const mark = document.createElement("a");
	Object.assign(mark, { className: "tag tag-good", href, textContent: text });
	return mark;
}

function element(tag: string, name: string): HTMLElement {
	const made = document.createElement(tag);
	made.className = name;
	return made;
}

function countOf(unread: number): HTMLElement {
	const count = element("span", "bell-count");
	const words = element("span", "unseen");
	words.textContent = " unread";
	count.append(formatUnread(unread), words);
	return count;
}

const SVG = "http://www.w3.org/2000/svg";

function pictureOf(name: string): SVGElement {
	const { path, hue } = avatarOf(name);
	const picture = document.createElementNS(SVG, "svg");
	picture.setAttribute("class", `avatar avatar-${hue}`);
	picture.setAttribute("viewBox", "-1 -1 7 7");
	picture.setAttribute("aria-hidden", "true");
	const shape = document.createElementNS(SVG, "path");
	shape.setAttribute("d", path);
	picture.append(shape);
	return picture;
}
