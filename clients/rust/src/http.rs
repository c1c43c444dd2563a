use std::time::Duration;

use serde_json::Value;

use crate::Error;

/// Sends JSON and returns the status and body of the response.
pub(crate) fn send(method: &str, url: &str, body: Option<&Value>) -> Result<(u16, String), Error> {
    let agent: ureq::Agent = ureq::Agent::config_builder()
        .http_status_as_error(false)
        .timeout_global(Some(Duration::from_secs(60)))
        .build()
        .into();
    let text = body.map(Value::to_string).unwrap_or_default();
    let request = ureq::http::Request::builder()
        .method(method)
        .uri(url)
        .header("content-type", "application/json")
        .body(text)
        .map_err(|error| Error::Transport(error.to_string()))?;
    let request = agent.configure_request(request).allow_non_standard_methods(true).build();
    let mut response = agent.run(request)?;
    let text = response.body_mut().with_config().limit(u64::MAX).read_to_string()?;
    Ok((response.status().as_u16(), text))
}
