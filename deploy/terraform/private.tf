# The private API: its address names the VPC endpoint, and the path begins with the stage.

locals {
  private_api      = templatefile("${path.module}/private_api.json.tftpl", local.monitoring)
  private_endpoint = local.conditions.has_private_api ? "https://${aws_api_gateway_rest_api.private[0].id}-${var.vpc_endpoint_ids[0]}.execute-api.${local.region}.${data.aws_partition.current.dns_suffix}/live" : null
}

resource "aws_api_gateway_rest_api" "private" {
  count       = local.conditions.has_private_api ? 1 : 0
  name        = "${var.name}-private"
  description = "Admission webhooks of Kubernetes clusters in networks with a VPC endpoint"
  body        = local.private_api
  # In mode overwrite, the default, a change of the body removes the VPC endpoints, and adds them again.
  put_rest_api_mode = "merge"
  tags              = local.tags
  endpoint_configuration {
    types            = ["PRIVATE"]
    vpc_endpoint_ids = var.vpc_endpoint_ids
  }
}

resource "aws_api_gateway_deployment" "private" {
  count       = local.conditions.has_private_api ? 1 : 0
  rest_api_id = aws_api_gateway_rest_api.private[0].id
  triggers    = { body = sha1(local.private_api) }
  lifecycle {
    create_before_destroy = true
  }
}

resource "aws_api_gateway_stage" "private" {
  count         = local.conditions.has_private_api ? 1 : 0
  rest_api_id   = aws_api_gateway_rest_api.private[0].id
  deployment_id = aws_api_gateway_deployment.private[0].id
  stage_name    = "live"
  tags          = local.tags
}

resource "aws_api_gateway_method_settings" "private" {
  count       = local.conditions.has_private_api ? 1 : 0
  rest_api_id = aws_api_gateway_rest_api.private[0].id
  stage_name  = aws_api_gateway_stage.private[0].stage_name
  method_path = "*/*"
  settings {
    throttling_rate_limit  = var.throttling_rate_limit
    throttling_burst_limit = var.throttling_burst_limit
  }
}

resource "aws_lambda_permission" "private_api" {
  count         = local.conditions.has_private_api ? 1 : 0
  function_name = aws_lambda_function.webhook.function_name
  qualifier     = aws_lambda_alias.live.name
  action        = "lambda:InvokeFunction"
  principal     = "apigateway.amazonaws.com"
  source_arn    = "${aws_api_gateway_rest_api.private[0].execution_arn}/*"
}
