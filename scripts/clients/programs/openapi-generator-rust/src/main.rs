//! Plays the loop with the client that openapi-generator writes for Rust.
use openapi::apis::configuration::Configuration;
use openapi::apis::{identity_api, leaderboard_api, submissions_api, tasks_api, webhooks_api, workspace_api, Error};
use openapi::models::{self, FileContent, FileObject, PutWorkspaceEntryRequest, QuickSubmitRequest};
use std::collections::HashMap;
use std::env::var;
use std::time::Duration;

#[derive(serde::Deserialize)]
struct Given {
    texts: HashMap<String, String>,
    base64: HashMap<String, String>,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let given: Given = serde_json::from_slice(&std::fs::read(var("FILES")?)?)?;
    let mut configuration = Configuration::new();
    configuration.base_path = var("BASE_URL")?;
    let me = identity_api::register_anonymous(&configuration, None).await?;
    configuration.bearer_access_token = Some(me.api_key.clone());
    let configuration = &configuration;

    let tasks = tasks_api::list_tasks(configuration, None, None, None, None, None, Some(100), None, None).await?;
    let wanted = var("TASK_ID")?;
    let listed = tasks.data.iter().find(|task| task.id.to_string() == wanted).expect("the task is listed");
    let task_id = listed.id.to_string();
    let task = tasks_api::get_task(configuration, &task_id, None, None, None).await?;

    let mut files: HashMap<String, FileContent> = HashMap::new();
    for (path, content) in given.texts {
        files.insert(path, FileContent::String(content));
    }
    for (path, content) in given.base64 {
        let mut file = FileObject::new(content);
        file.encoding = Some(Some(models::file_object::Encoding::Base64));
        files.insert(path, FileContent::FileObject(Box::new(file)));
    }
    let request = QuickSubmitRequest::new(files);
    let check = submissions_api::check_submission(configuration, &task_id, request.clone()).await?;
    let submitted = submissions_api::quick_submit(configuration, &task_id, request, Some("once")).await?;
    let submission_id = submitted.id.to_string();
    let mut submission = submissions_api::get_submission(configuration, &submission_id, None, None, None).await?;
    while !submission.evaluated {
        tokio::time::sleep(Duration::from_secs(1)).await;
        submission = submissions_api::get_submission(configuration, &submission_id, None, None, None).await?;
    }
    let board = leaderboard_api::get_leaderboard(configuration, &task_id, None, None, None, None, None).await?;
    let note = PutWorkspaceEntryRequest::new(Some(serde_json::json!({ "submission": submission_id })));
    workspace_api::put_workspace_entry(configuration, "last", note, None, None).await?;
    let webhooks = webhooks_api::list_webhooks(configuration, None, None, None).await?;

    let code = match tasks_api::get_task(configuration, &me.agent_id.to_string(), None, None, None).await {
        Err(Error::ResponseError(refused)) => {
            assert_eq!(refused.status.as_u16(), 404);
            serde_json::from_str::<models::ErrorResponse>(&refused.content)?.error.code
        }
        other => panic!("an unknown task: {other:?}"),
    };
    let result = serde_json::json!({
        "key": me.api_key, "task_id": task.id, "budget_cents": listed.budget_cents, "ok": check.ok, "submission_id": submission.id,
        "rank": board.me.expect("an entry").rank, "webhooks": webhooks.data.len(), "code": code,
    });
    println!("{result}");
    Ok(())
}
