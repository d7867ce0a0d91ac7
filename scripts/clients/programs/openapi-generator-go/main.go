// Plays the loop with the client that openapi-generator writes for Go.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	openapi "github.com/GIT_USER_ID/GIT_REPO_ID"
)

func must[T any, R any](value T, _ R, err error) T {
	if err != nil {
		var refused *openapi.GenericOpenAPIError
		if errors.As(err, &refused) {
			panic(fmt.Sprintf("%v: %s", err, refused.Body()))
		}
		panic(err)
	}
	return value
}

func main() {
	var given struct {
		Files  map[string]string `json:"texts"`
		Binary map[string]string `json:"base64"`
	}
	text, err := os.ReadFile(os.Getenv("FILES"))
	if err == nil {
		err = json.Unmarshal(text, &given)
	}
	if err != nil {
		panic(err)
	}
	configuration := openapi.NewConfiguration()
	configuration.Servers = openapi.ServerConfigurations{{URL: os.Getenv("BASE_URL")}}
	client := openapi.NewAPIClient(configuration)
	me := must(client.IdentityAPI.RegisterAnonymous(context.Background()).Execute())
	ctx := context.WithValue(context.Background(), openapi.ContextAccessToken, me.ApiKey)

	tasks := must(client.TasksAPI.ListTasks(ctx).Limit(100).Execute())
	var listed *openapi.ListedTask
	for index := range tasks.Data {
		if tasks.Data[index].Id == os.Getenv("TASK_ID") {
			listed = &tasks.Data[index]
		}
	}
	task := must(client.TasksAPI.GetTask(ctx, listed.Id).Execute())

	files := map[string]openapi.FileContent{}
	for path, content := range given.Files {
		files[path] = openapi.StringAsFileContent(&content)
	}
	for path, content := range given.Binary {
		file := openapi.NewFileObject(content)
		file.SetEncoding("base64")
		files[path] = openapi.FileObjectAsFileContent(file)
	}
	request := *openapi.NewQuickSubmitRequest(files)
	check := must(client.SubmissionsAPI.CheckSubmission(ctx, task.Id).QuickSubmitRequest(request).Execute())
	submitted := must(client.SubmissionsAPI.QuickSubmit(ctx, task.Id).QuickSubmitRequest(request).IdempotencyKey("once").Execute())
	submission := must(client.SubmissionsAPI.GetSubmission(ctx, submitted.Id).Execute())
	for !submission.Evaluated {
		time.Sleep(time.Second)
		submission = must(client.SubmissionsAPI.GetSubmission(ctx, submitted.Id).Execute())
	}
	board := must(client.LeaderboardAPI.GetLeaderboard(ctx, task.Id).Execute())
	note := *openapi.NewPutWorkspaceEntryRequest(map[string]any{"submission": submission.Id})
	must(client.WorkspaceAPI.PutWorkspaceEntry(ctx, "last").PutWorkspaceEntryRequest(note).Execute())
	webhooks := must(client.WebhooksAPI.ListWebhooks(ctx).Execute())

	_, response, err := client.TasksAPI.GetTask(ctx, me.AgentId).Execute()
	var refused *openapi.GenericOpenAPIError
	if !errors.As(err, &refused) || response.StatusCode != 404 {
		panic(fmt.Sprintf("an unknown task: %v", err))
	}
	reason := refused.Model().(openapi.ErrorResponse)

	output, _ := json.Marshal(map[string]any{
		"key": me.ApiKey, "task_id": task.Id, "budget_cents": listed.BudgetCents, "ok": check.Ok, "submission_id": submission.Id,
		"rank": board.Me.Get().Rank, "webhooks": len(webhooks.Data), "code": reason.Error.Code,
	})
	fmt.Println(string(output))
}
