// Plays the loop with the client that oapi-codegen writes.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"time"

	"example.com/loop/client"
)

func check(err error) {
	if err != nil {
		panic(err)
	}
}

// must returns a parsed response, which is nil for any other status.
func must[T any](value *T, body []byte) *T {
	if value == nil {
		panic(string(body))
	}
	return value
}

func main() {
	var given struct {
		Texts  map[string]string `json:"texts"`
		Base64 map[string]string `json:"base64"`
	}
	text, err := os.ReadFile(os.Getenv("FILES"))
	check(err)
	check(json.Unmarshal(text, &given))
	ctx := context.Background()
	key := ""
	api, err := client.NewClientWithResponses(os.Getenv("BASE_URL"), client.WithRequestEditorFn(func(_ context.Context, request *http.Request) error {
		if key != "" {
			request.Header.Set("Authorization", "Bearer "+key)
		}
		return nil
	}))
	check(err)
	registered, err := api.RegisterAnonymousWithResponse(ctx, client.RegisterAnonymousJSONRequestBody{})
	check(err)
	me := must(registered.JSON201, registered.Body)
	key = me.ApiKey

	limit := int32(100)
	list, err := api.ListTasksWithResponse(ctx, &client.ListTasksParams{Limit: &limit})
	check(err)
	var listed *client.ListedTask
	for _, each := range must(list.JSON200, list.Body).Data {
		if each.Id.String() == os.Getenv("TASK_ID") {
			listed = &each
		}
	}
	detail, err := api.GetTaskWithResponse(ctx, listed.Id, nil)
	check(err)
	task := must(detail.JSON200, detail.Body)

	files := map[string]client.FileContent{}
	for path, content := range given.Texts {
		var file client.FileContent
		check(file.FromFileContent0(content))
		files[path] = file
	}
	for path, content := range given.Base64 {
		encoding := client.FileContent1Encoding("base64")
		var file client.FileContent
		check(file.FromFileContent1(client.FileContent1{Content: content, Encoding: &encoding}))
		files[path] = file
	}
	request := client.QuickSubmitRequest{Files: files}
	checked, err := api.CheckSubmissionWithResponse(ctx, task.Id, request)
	check(err)
	once := "once"
	sent, err := api.QuickSubmitWithResponse(ctx, task.Id, &client.QuickSubmitParams{IdempotencyKey: &once}, request)
	check(err)
	submitted := must(sent.JSON201, sent.Body)
	read := func() *client.Submission {
		answer, err := api.GetSubmissionWithResponse(ctx, submitted.Id, nil)
		check(err)
		return must(answer.JSON200, answer.Body)
	}
	submission := read()
	for !submission.Evaluated {
		time.Sleep(time.Second)
		submission = read()
	}
	board, err := api.GetLeaderboardWithResponse(ctx, task.Id, nil)
	check(err)
	note := client.PutWorkspaceEntryJSONRequestBody{Value: map[string]any{"submission": submission.Id}}
	stored, err := api.PutWorkspaceEntryWithResponse(ctx, "last", nil, note)
	check(err)
	must(stored.JSON200, stored.Body)
	webhooks, err := api.ListWebhooksWithResponse(ctx, nil)
	check(err)
	unknown, err := api.GetTaskWithResponse(ctx, me.AgentId, nil)
	check(err)

	output, _ := json.Marshal(map[string]any{
		"key": key, "task_id": task.Id, "budget_cents": listed.BudgetCents, "ok": must(checked.JSON200, checked.Body).Ok,
		"submission_id": submission.Id, "rank": must(board.JSON200, board.Body).Me.Rank,
		"webhooks": len(must(webhooks.JSON200, webhooks.Body).Data), "code": must(unknown.JSON404, unknown.Body).Error.Code,
	})
	fmt.Println(string(output))
}
