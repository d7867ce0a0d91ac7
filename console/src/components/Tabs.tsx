import type { ReactNode } from "react";
import { Tabs as AriaTabs, Tab, TabList, TabPanel } from "react-aria-components";
import { useVisibleChoice } from "./use-visible-choice.ts";

interface TabsProps {
	readonly label: string;
	readonly tabs: readonly { readonly id: string; readonly label: ReactNode; readonly content: ReactNode }[];
	/** The selected view, if something other than the tabs can select it. By default, the first view, until the reader selects another. */
	readonly selected?: string;
	readonly onSelect?: (id: string) => void;
}

export function Tabs({ label, tabs, selected, onSelect }: TabsProps) {
	const row = useVisibleChoice<HTMLDivElement>(selected);
	const selection = selected === undefined ? {} : { selectedKey: selected, onSelectionChange: (key: unknown) => onSelect?.(String(key)) };
	return (
		<AriaTabs className="tabs" {...selection}>
			<TabList ref={row} aria-label={label} className="tab-list">
				{tabs.map((tab) => (
					<Tab key={tab.id} id={tab.id} className="tab">
						{tab.label}
					</Tab>
				))}
			</TabList>
			{tabs.map((tab) => (
				<TabPanel key={tab.id} id={tab.id} className="tab-panel">
					{tab.content}
				</TabPanel>
			))}
		</AriaTabs>
	);
}
