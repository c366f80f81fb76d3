//! What the list of tools promises.

use super::server::tool_list;

/// Clients cut long lists, and every tool costs context.
#[test]
fn tools_are_few_and_small() {
    let tools = tool_list();
    assert!(tools.len() <= 15, "{} tools", tools.len());
    let bytes = serde_json::to_string(&tools).unwrap().len();
    assert!(bytes <= 20_000, "{bytes} bytes of tool descriptions");
    for tool in &tools {
        assert!(
            tool.description.as_ref().is_some_and(|d| d.len() > 20),
            "{}",
            tool.name
        );
        assert!(
            tool.output_schema.is_some(),
            "{} has structured results",
            tool.name
        );
    }
}
