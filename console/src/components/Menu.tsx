import type { ReactNode } from "react";
import { Menu as AriaMenu, Button, MenuItem, MenuTrigger, Popover } from "react-aria-components";

interface MenuEntry {
	readonly id: string;
	readonly label: string;
	readonly onAction: () => void;
}

interface MenuProps {
	/** The purpose of the menu, for screen readers. */
	readonly label: string;
	readonly button: ReactNode;
	readonly items: readonly MenuEntry[];
	/** The id of the selected entry, if the menu chooses one of several. */
	readonly selected?: string;
}

export function Menu({ label, button, items, selected }: MenuProps) {
	const selection =
		selected === undefined ? {} : ({ selectionMode: "single", disallowEmptySelection: true, selectedKeys: [selected] } as const);
	return (
		<MenuTrigger>
			<Button className="button button-quiet" aria-label={label}>
				{button}
			</Button>
			<Popover className="popover" placement="bottom end">
				<AriaMenu className="menu" aria-label={label} {...selection}>
					{items.map((item) => (
						<MenuItem key={item.id} id={item.id} className="menu-item" onAction={item.onAction}>
							{item.label}
						</MenuItem>
					))}
				</AriaMenu>
			</Popover>
		</MenuTrigger>
	);
}
