"""Routes read from OpenAPI and Postman documents."""
