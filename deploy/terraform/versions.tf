terraform {
  required_version = ">= 1.5"
  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 6.58" # waits for the weights of an alias before it sets provisioned concurrency
    }
  }
}
