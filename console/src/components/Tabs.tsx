import type { ReactNode } from "react";
import { Tabs as AriaTabs, Tab, TabList, TabPanel } from "react-aria-components";

interface TabsProps {
	readonly label: string;
	readonly tabs: readonly { readonly id: string; readonly label: ReactNode; readonly content: ReactNode }[];
}

/** Views of one thing, one at a time. */
export function Tabs({ label, tabs }: TabsProps) {
	return (
		<AriaTabs className="tabs">
			<TabList aria-label={label} className="tab-list">
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
