// The viewer's outline, so that it fits the site and works for keyboards and screen readers: headings in order, no link within
// a button, no landmark within another, and the tags as a list to jump from.
import type {
	Child,
	Component,
	GetComponent,
	ImmutableMap,
	LayoutActions,
	LayoutSelectors,
	Node,
	Plugin,
	SpecSelectors,
	System,
} from "./swagger-ui.ts";

interface LayoutProps {
	readonly specSelectors: SpecSelectors;
	readonly getComponent: GetComponent;
}

interface TagProps {
	readonly tag: string;
	readonly tagObj: ImmutableMap;
	readonly children?: Child;
	readonly layoutSelectors: LayoutSelectors;
	readonly layoutActions: LayoutActions;
	readonly getComponent: GetComponent;
}

interface SummaryProps {
	readonly isShown: boolean;
	readonly toggleShown: () => void;
	readonly getComponent: GetComponent;
	readonly operationProps: ImmutableMap;
	readonly specPath: ImmutableMap;
	readonly authActions: { showDefinitions(definitions: unknown): void };
	readonly authSelectors: { definitionsForRequirements(security: unknown): unknown };
}

export const LAYOUT = "SiteLayout";

export const fitIntoSite: Plugin = (system) => ({
	// The viewer's own way does not know of the header, which covers what it scrolls to.
	statePlugins: {
		layout: {
			wrapActions: {
				scrollToElement: () => (element) => {
					element.scrollIntoView({ behavior: "instant" });
					return { type: "site_scrolled" };
				},
			},
		},
	},
	components: {
		[LAYOUT]: layout(system),
		OperationTag: tag(system),
		OperationSummary: summary(system),
		// Headings of what they open are the links' place; a link within a button has none.
		DeepLink: ({ text }: { readonly text: Child }) => system.React.createElement("span", null, text),
	},
});

const idOf = (name: string): string => `operations-tag-${name.replaceAll(" ", "_")}`;
const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

function layout(system: System): Component {
	return ({ specSelectors, getComponent }: LayoutProps): Node => {
		const h = system.React.createElement;
		const part = (name: string) => h(getComponent(name, true), null);
		const status = specSelectors.loadingStatus();
		if (status !== "success")
			return h("p", { role: "status" }, status === "failed" ? "The document could not be loaded." : "Loading the document.");
		const tags = specSelectors.taggedOperations().keySeq().toArray();
		return h(
			"div",
			{ className: "swagger-ui reference-columns" },
			h(
				"nav",
				{ className: "reference-tags", "aria-label": "Groups of endpoints" },
				h(
					"ul",
					null,
					tags.map((name) => h("li", { key: name }, h("a", { href: `#${idOf(name)}` }, name))),
				),
			),
			h(
				"div",
				{ className: "reference-main" },
				h(getComponent("Markdown"), { source: textOf(specSelectors.info()?.get("description")) }),
				h("div", { className: "reference-tools" }, part("FilterContainer"), part("AuthorizeBtnContainer")),
				part("errors"),
				part("operations"),
				part("Webhooks"),
				part("Models"),
			),
		);
	};
}

function tag(system: System): Component {
	return ({ tag: name, tagObj, children, layoutSelectors, layoutActions, getComponent }: TagProps): Node => {
		const h = system.React.createElement;
		const path = ["operations-tag", name];
		const isShown = layoutSelectors.isShown(path, true);
		const description = textOf(tagObj.getIn(["tagDetails", "description"]));
		return h(
			"section",
			{ className: "reference-group", "aria-labelledby": idOf(name) },
			h(
				"h2",
				{ id: idOf(name) },
				h("button", { type: "button", "aria-expanded": isShown, onClick: () => layoutActions.show(path, !isShown) }, name),
			),
			description !== "" && h(getComponent("Markdown"), { source: description }),
			isShown && h("div", null, children),
		);
	};
}

function summary(system: System): Component {
	return (props: SummaryProps): Node => {
		const { isShown, toggleShown, getComponent, operationProps, specPath } = props;
		const h = system.React.createElement;
		const description = textOf(operationProps.getIn(["op", "summary"])) || textOf(operationProps.get("summary"));
		return h(
			"div",
			{ className: "opblock-summary" },
			h(
				"h3",
				null,
				h(
					"button",
					{ type: "button", "aria-expanded": isShown, className: "opblock-summary-control", onClick: toggleShown },
					h(getComponent("OperationSummaryMethod"), { method: operationProps.get("method") }),
					h(getComponent("OperationSummaryPath"), { getComponent, operationProps, specPath }),
					h("span", { className: "opblock-summary-description" }, description),
				),
			),
			authorizeButton(system, props),
		);
	};
}

/** Only where the operation asks for authentication. */
function authorizeButton({ React }: System, { getComponent, operationProps, authActions, authSelectors }: SummaryProps): Child {
	const security = operationProps.getIn(["op", "security"]);
	const isOpen = !hasCount(security) || security.count() === 0;
	return (
		!isOpen &&
		React.createElement(getComponent("authorizeOperationBtn", true), {
			isAuthorized: operationProps.get("isAuthorized"),
			onClick: () => authActions.showDefinitions(authSelectors.definitionsForRequirements(security)),
		})
	);
}

function hasCount(value: unknown): value is { count(): number } {
	return typeof value === "object" && value !== null && "count" in value && typeof value.count === "function";
}
