import { Page } from "../../layout/Page.tsx";

export function TaskPage() {
	return <Page title="TaskPage">x</Page>;
}
